#include "CHEIFShim.h"

#include <string.h>

static int64_t get_position(void *beginning) {
    return ((HalcyonHEIFBeginning *)beginning)->position;
}

static int read_bytes(void *out, size_t size, void *context) {
    HalcyonHEIFBeginning *beginning = context;
    if (size > (size_t)(beginning->end - beginning->position)) {
        return 1;
    }
    if (size == 0) {
        return 0;
    }
    int64_t rest = beginning->count - beginning->position;
    size_t available = rest <= 0 ? 0 : (size_t)rest < size ? (size_t)rest : size;
    if (available > 0) {
        memcpy(out, beginning->bytes + beginning->position, available);
    }
    memset((uint8_t *)out + available, 0, size - available);
    beginning->position += (int64_t)size;
    return 0;
}

static int seek(int64_t position, void *context) {
    HalcyonHEIFBeginning *beginning = context;
    if (position < 0 || position > beginning->end) {
        return 1;
    }
    beginning->position = position;
    return 0;
}

static enum heif_reader_grow_status wait_for_file_size(int64_t size, void *beginning) {
    return size <= ((HalcyonHEIFBeginning *)beginning)->end ? heif_reader_grow_status_size_reached
                                                            : heif_reader_grow_status_size_beyond_eof;
}

// Version 1 has no requests for ranges: everything is there already. libheif keeps the pointer.
static const struct heif_reader reader = {
    .reader_api_version = 1,
    .get_position = get_position,
    .read = read_bytes,
    .seek = seek,
    .wait_for_file_size = wait_for_file_size,
};

void halcyon_heif_set_greatest_allocation(struct heif_context *context, uint64_t byte_count) {
#if LIBHEIF_NUMERIC_VERSION >= ((1 << 24) | (19 << 16))
    halcyon_heif_library()->heif_context_get_security_limits(context)->max_memory_block_size = byte_count;
#else
    (void)context;
    (void)byte_count;
#endif
}

struct heif_error halcyon_heif_read_beginning(struct heif_context *context, HalcyonHEIFBeginning *beginning) {
    return halcyon_heif_library()->heif_context_read_from_reader(context, &reader, beginning, NULL);
}
