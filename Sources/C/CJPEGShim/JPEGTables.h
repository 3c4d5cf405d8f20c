#ifndef HALCYON_JPEG_TABLES_H
#define HALCYON_JPEG_TABLES_H

#include <stdio.h>

#include <jpeglib.h>

// Gives `target`, which has the tables of T.81 annex K, tables made from those and from what libjpeg has made for a part of
// the image. All symbols have codes.
void jpeg_tables_adopt(struct jpeg_compress_struct *target, const struct jpeg_compress_struct *sample);

#endif
