#ifndef HALCYON_JPEG_ERRORS_H
#define HALCYON_JPEG_ERRORS_H

#include "CJPEGShim.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>

#include <jpeglib.h>

// libjpeg's error manager with a place to jump to. `manager` comes first, so that a pointer to it is one to the whole.
typedef struct JPEGErrors {
    struct jpeg_error_mgr manager;
    jmp_buf target;
    HalcyonJPEGStatus status;
    // Set by the source once it has no bytes left.
    bool has_reached_end;
    // Set where an image of which a part is missing or wrong is to be shown as far as it goes; otherwise any loss is an
    // error.
    bool tolerates_loss;
    // Set once data were missing or wrong, so that some blocks are grey or spoiled.
    bool has_lost_data;
    // Set once an error has been taken for the end of the image.
    bool has_ended_early;
    // Restart intervals of a scan whose data ended before they did, and the number of the scan.
    uint64_t short_interval_count;
    int short_interval_scan;
    char message[JMSG_LENGTH_MAX];
} JPEGErrors;

void jpeg_errors_init(JPEGErrors *errors);

_Noreturn void jpeg_errors_fail(j_common_ptr info, HalcyonJPEGStatus status);

#endif
