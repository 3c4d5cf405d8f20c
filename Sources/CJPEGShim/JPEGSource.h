#ifndef HALCYON_JPEG_SOURCE_H
#define HALCYON_JPEG_SOURCE_H

#include <stddef.h>
#include <stdio.h>

#include <jpeglib.h>

// A source of which all bytes are there from the start. The decompressor's error manager must be that of `JPEGErrors`.
void jpeg_source_init(struct jpeg_source_mgr *source);

#endif
