// libheif, which is loaded on first use.
#ifndef HALCYON_HEIF_LIBRARY_H
#define HALCYON_HEIF_LIBRARY_H

#include <libheif/heif.h>

#if LIBHEIF_NUMERIC_VERSION >= ((1 << 24) | (19 << 16))
#define HALCYON_HEIF_LIMIT_FUNCTIONS(FUNCTION) FUNCTION(heif_context_get_security_limits)
#else
#define HALCYON_HEIF_LIMIT_FUNCTIONS(FUNCTION)
#endif

/// The functions in use, by the names that they have in the library.
#define HALCYON_HEIF_FUNCTIONS(FUNCTION)                       \
    FUNCTION(heif_context_alloc)                               \
    FUNCTION(heif_context_free)                                \
    FUNCTION(heif_context_get_image_handle)                    \
    FUNCTION(heif_context_get_list_of_top_level_image_IDs)     \
    FUNCTION(heif_context_get_number_of_top_level_images)      \
    FUNCTION(heif_context_get_primary_image_ID)                \
    FUNCTION(heif_context_read_from_memory_without_copy)       \
    FUNCTION(heif_context_read_from_reader)                    \
    FUNCTION(heif_context_set_max_decoding_threads)            \
    FUNCTION(heif_context_set_maximum_image_size_limit)        \
    FUNCTION(heif_decode_image)                                \
    FUNCTION(heif_decoding_options_alloc)                      \
    FUNCTION(heif_decoding_options_free)                       \
    FUNCTION(heif_get_version_number)                          \
    FUNCTION(heif_image_get_bits_per_pixel_range)              \
    FUNCTION(heif_image_get_height)                            \
    FUNCTION(heif_image_get_plane_readonly)                    \
    FUNCTION(heif_image_get_width)                             \
    FUNCTION(heif_image_handle_get_height)                     \
    FUNCTION(heif_image_handle_get_ispe_height)                \
    FUNCTION(heif_image_handle_get_ispe_width)                 \
    FUNCTION(heif_image_handle_get_list_of_metadata_block_IDs) \
    FUNCTION(heif_image_handle_get_list_of_thumbnail_IDs)      \
    FUNCTION(heif_image_handle_get_luma_bits_per_pixel)        \
    FUNCTION(heif_image_handle_get_metadata)                   \
    FUNCTION(heif_image_handle_get_metadata_content_type)      \
    FUNCTION(heif_image_handle_get_metadata_size)              \
    FUNCTION(heif_image_handle_get_nclx_color_profile)         \
    FUNCTION(heif_image_handle_get_number_of_metadata_blocks)  \
    FUNCTION(heif_image_handle_get_number_of_thumbnails)       \
    FUNCTION(heif_image_handle_get_raw_color_profile)          \
    FUNCTION(heif_image_handle_get_raw_color_profile_size)     \
    FUNCTION(heif_image_handle_get_thumbnail)                  \
    FUNCTION(heif_image_handle_get_width)                      \
    FUNCTION(heif_image_handle_has_alpha_channel)              \
    FUNCTION(heif_image_handle_is_premultiplied_alpha)         \
    FUNCTION(heif_image_handle_release)                        \
    FUNCTION(heif_image_release)                               \
    FUNCTION(heif_nclx_color_profile_free)                     \
    HALCYON_HEIF_LIMIT_FUNCTIONS(FUNCTION)

typedef struct {
#define HALCYON_DECLARE(name) __typeof__(name) *_Nonnull name;
    HALCYON_HEIF_FUNCTIONS(HALCYON_DECLARE)
#undef HALCYON_DECLARE
} HalcyonHEIFLibrary;

/// The functions; `NULL` where the library is not installed. Loads it on first use, and never unloads it.
const HalcyonHEIFLibrary *_Nullable halcyon_heif_library(void);

#endif
