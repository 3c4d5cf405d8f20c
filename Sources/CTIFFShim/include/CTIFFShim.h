#ifndef HALCYON_TIFF_SHIM_H
#define HALCYON_TIFF_SHIM_H

// libtiff's fields are got and set through variadic functions, which Swift cannot call.

#include <tiffio.h>

#endif
