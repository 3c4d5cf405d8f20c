#ifndef HALCYON_JPEG_TABLES_H
#define HALCYON_JPEG_TABLES_H

#include <stdio.h>

#include <jpeglib.h>

// Gives `target` tables made from those that libjpeg has made for a part of the image, in which only the symbols of that
// part have codes; here all have.
void jpeg_tables_adopt(struct jpeg_compress_struct *target, const struct jpeg_compress_struct *sample);

#endif
