#ifndef HALCYON_REFERENCE_JPEG_ERRORS_H
#define HALCYON_REFERENCE_JPEG_ERRORS_H

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

// libjpeg leaves by a jump.
struct errors {
    struct jpeg_error_mgr manager;
    jmp_buf target;
};

static inline void leave(j_common_ptr info) {
    longjmp(((struct errors *)info->err)->target, 1);
}

#endif
