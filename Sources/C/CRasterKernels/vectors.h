#ifndef HALCYON_RASTER_VECTORS_H
#define HALCYON_RASTER_VECTORS_H

#include "ProcessorClones.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8x4 __attribute__((ext_vector_type(4)));
typedef uint8_t u8x8 __attribute__((ext_vector_type(8)));
typedef uint8_t u8x16 __attribute__((ext_vector_type(16)));
typedef uint8_t u8x32 __attribute__((ext_vector_type(32)));
typedef int16_t i16x4 __attribute__((ext_vector_type(4)));
typedef int16_t i16x8 __attribute__((ext_vector_type(8)));
typedef int16_t i16x16 __attribute__((ext_vector_type(16)));
typedef int16_t i16x32 __attribute__((ext_vector_type(32)));
typedef uint16_t u16x16 __attribute__((ext_vector_type(16)));
typedef int32_t i32x4 __attribute__((ext_vector_type(4)));
typedef int32_t i32x16 __attribute__((ext_vector_type(16)));
typedef uint32_t u32x4 __attribute__((ext_vector_type(4)));
typedef uint32_t u32x16 __attribute__((ext_vector_type(16)));

// Four pixels, whose samples are multiplied by the factors and divided by 255, rounded to nearest: exact for all bytes.
#define MULTIPLY_BY_255THS(samples, factors)                                                                        \
    __extension__({                                                                                                 \
        u16x16 product = __builtin_convertvector(samples, u16x16) * __builtin_convertvector(factors, u16x16) + 128; \
        __builtin_convertvector((product + (product >> 8)) >> 8, u8x16);                                            \
    })

// The alphas of four pixels, each four times.
#define ALPHAS(pixels) __builtin_shufflevector(pixels, pixels, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15)

// Ones in the bits of alpha.
#define ALPHA_MASK ((u8x16)(u32x4)0xFF000000u)

#endif
