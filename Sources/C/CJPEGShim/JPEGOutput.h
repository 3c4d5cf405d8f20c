#ifndef HALCYON_JPEG_OUTPUT_H
#define HALCYON_JPEG_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <jpeglib.h>

// Whether every coefficient has arrived with all its bits. Where the end marker is missing, this tells a complete
// image from one cut between two scans.
bool jpeg_has_every_coefficient(const struct jpeg_decompress_struct *info);

// Makes rows of CMYK, as libjpeg writes them, shares of ink, or red, green, blue, 255; other rows stay as they are.
void jpeg_convert_inks(const struct jpeg_decompress_struct *info, JSAMPARRAY rows, JDIMENSION count, bool keeps_inks);

#endif
