#include "VideoLibrary.h"

#include "CVideoShim.h"

#include "CLibraryLoading.h"

// The version of the headers is that of the libraries: another major version has other structures.
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define FORMAT_NAME "libavformat.so." TEXT(LIBAVFORMAT_VERSION_MAJOR)
#define CODEC_NAME "libavcodec.so." TEXT(LIBAVCODEC_VERSION_MAJOR)
#define UTILITY_NAME "libavutil.so." TEXT(LIBAVUTIL_VERSION_MAJOR)
#define SCALING_NAME "libswscale.so." TEXT(LIBSWSCALE_VERSION_MAJOR)

static VideoLibrary library;
static HalcyonLibraryState state;

static bool load(void) {
    void *format = dlopen(FORMAT_NAME, RTLD_NOW | RTLD_LOCAL);
    void *codec = dlopen(CODEC_NAME, RTLD_NOW | RTLD_LOCAL);
    void *utility = dlopen(UTILITY_NAME, RTLD_NOW | RTLD_LOCAL);
    void *scaling = dlopen(SCALING_NAME, RTLD_NOW | RTLD_LOCAL);
    if (format == NULL || codec == NULL || utility == NULL || scaling == NULL) {
        return false;
    }
    bool is_complete = true;
#define LOAD_FORMAT(name) HALCYON_LOAD_FUNCTION_FROM(format, name)
#define LOAD_CODEC(name) HALCYON_LOAD_FUNCTION_FROM(codec, name)
#define LOAD_UTILITY(name) HALCYON_LOAD_FUNCTION_FROM(utility, name)
#define LOAD_SCALING(name) HALCYON_LOAD_FUNCTION_FROM(scaling, name)
    HALCYON_FORMAT_FUNCTIONS(LOAD_FORMAT)
    HALCYON_CODEC_FUNCTIONS(LOAD_CODEC)
    HALCYON_UTILITY_FUNCTIONS(LOAD_UTILITY)
    HALCYON_SCALING_FUNCTIONS(LOAD_SCALING)
#if HALCYON_HAS_CODED_SIDE_DATA
    HALCYON_SIDE_DATA_FUNCTIONS(LOAD_CODEC)
#else
    HALCYON_SIDE_DATA_FUNCTIONS(LOAD_FORMAT)
#endif
    // By default FFmpeg writes to the standard error whatever it finds wrong with a file, as often as a file wants it
    // to. A program that has chosen another level keeps it.
    if (is_complete && library.av_log_get_level() == AV_LOG_INFO) {
        library.av_log_set_level(AV_LOG_QUIET);
    }
    return is_complete;
}

const VideoLibrary *halcyon_video_library(void) {
    return halcyon_load_library(&state, load) ? &library : NULL;
}

unsigned halcyon_video_library_version(void) {
    const VideoLibrary *functions = halcyon_video_library();
    return functions == NULL ? 0 : functions->avformat_version();
}
