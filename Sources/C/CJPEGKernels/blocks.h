// One block of entropy-coded coefficients becomes 1 × 1, 2 × 2, 4 × 4 or 8 × 8 samples: the inverse DCT of that many of
// its lowest frequencies. The bits of all other coefficients are skipped.
//
// libjpeg takes the means of the samples that a sample stands for, to which high frequencies add and in which the low
// ones are weaker. After the reduction to the final size that follows, this here is nearer to the reduction of the full
// image: 54.6 dB against 51.6 for a photograph of 12 megapixels at 2/8 that ends with 400 columns.

#ifndef HALCYON_JPEG_BLOCKS_H
#define HALCYON_JPEG_BLOCKS_H

#include "bits.h"

enum {
    // Last coefficient in zigzag order that matters for 2 × 2 and for 4 × 4 samples.
    LAST_OF_2 = 4,
    LAST_OF_4 = 24,
};

typedef struct Component {
    int32_t horizontal;
    int32_t vertical;
    const HuffmanTable *dc;
    const HuffmanTable *ac;
    uint16_t quantization[64];
    // Samples of a block's side: 1, 2, 4 or 8.
    int32_t block_size;
    // The DC coefficient of the block before.
    int32_t prediction;
    // The samples of one row of units.
    uint8_t *rows;
    size_t bytes_per_row;
    size_t width;
} Component;

// Where a coefficient of 4 × 4 samples goes, column by column, by zigzag index (T.81 figure A.6). Place 16 is for those
// that are left out.
extern const uint8_t block_places[LAST_OF_4 + 1];

// The same for 8 × 8 samples.
extern const uint8_t block_places_8[64];

ALWAYS_INLINE uint8_t clamped(int32_t value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

// The DC coefficient. False where the code is unknown or the sum leaves the range of 8-bit images.
ALWAYS_INLINE bool block_dc(BitReader *reader, Component *component) {
    bits_fill(reader);
    const uint32_t entry = component->dc->values[bits_peek(reader, VALUE_BITS)];
    if (__builtin_expect(entry != 0, 1)) {
        bits_drop(reader, entry & 255);
        component->prediction += (int32_t)entry >> 16;
    } else {
        const int category = bits_symbol(reader, component->dc);
        if (category < 0) {
            return false;
        }
        component->prediction += bits_value(reader, category);
    }
    return component->prediction >= -(1 << 14) && component->prediction < 1 << 14;
}

// Passes over all coefficients from index `next` on, 1 to 63. False where a code is unknown or leads beyond the block.
ALWAYS_INLINE bool block_skip(BitReader *reader, const HuffmanTable *table, uint32_t next) {
    while (true) {
        bits_fill(reader);
        uint32_t entry, after;
        // 4 × SKIP_BITS bits are there.
#pragma clang loop unroll(full)
        for (int step = 0; step < 4; step++) {
            entry = table->skips[bits_peek(reader, SKIP_BITS)];
            after = next + (entry >> 8);
            if (after >= 64) {
                goto last;
            }
            bits_drop(reader, entry & 15);
            next = after;
        }
        continue;
    last:
        if (after == 64 || (after >= SKIP_END_OF_BLOCK && after < SKIP_END_OF_BLOCK + 64)) {
            bits_drop(reader, entry & 15);
            return true;
        }
        // A long code, or symbols of which some belong to the next block already: one at a time.
        bits_fill(reader);
        const int symbol = bits_symbol(reader, table);
        if (symbol < 0) {
            return false;
        }
        const uint32_t category = (uint32_t)symbol & 15;
        if (category == 0 && symbol != 0xF0) {
            return true;
        }
        bits_drop(reader, category);
        next += ((uint32_t)symbol >> 4) + 1;
        if (next >= 64) {
            return next == 64;
        }
    }
}

// The next coefficient: moves `index` to it, 64 or more at the end of the block. Needs 27 bits.
ALWAYS_INLINE bool block_ac(BitReader *reader, const HuffmanTable *table, uint32_t *index, int32_t *value) {
    const uint32_t entry = table->values[bits_peek(reader, VALUE_BITS)];
    if (__builtin_expect(entry != 0, 1)) {
        bits_drop(reader, entry & 255);
        *value = (int32_t)entry >> 16;
        *index += entry >> 8 & 255;
        return true;
    }
    const int symbol = bits_symbol(reader, table);
    if (symbol < 0) {
        return false;
    }
    const int category = symbol & 15;
    *value = bits_value(reader, category);
    *index += category == 0 && symbol != 0xF0 ? VALUE_END_OF_BLOCK : ((uint32_t)symbol >> 4) + 1;
    return true;
}

// Passes over what follows the coefficient at `index`.
ALWAYS_INLINE bool block_finish(BitReader *reader, const HuffmanTable *table, uint32_t index) {
    return index >= 63 || block_skip(reader, table, index + 1);
}

ALWAYS_INLINE bool block_decode_1(BitReader *reader, Component *component, uint8_t *out) {
    if (!block_dc(reader, component)) {
        return false;
    }
    out[0] = clamped(((component->prediction * component->quantization[0] + 4) >> 3) + 128);
    return block_skip(reader, component->ac, 1);
}

ALWAYS_INLINE bool block_decode_2(BitReader *reader, Component *component, uint8_t *out) {
    if (!block_dc(reader, component)) {
        return false;
    }
    const HuffmanTable *table = component->ac;
    // By zigzag index: the mean, the difference between left and right, between upper and lower; 4 is their product.
    int32_t coefficients[LAST_OF_2 + 1] = {0};
    uint32_t index = 0;
    do {
        int32_t value;
        bits_fill(reader);
        if (!block_ac(reader, table, &index, &value)) {
            return false;
        }
        if (index > LAST_OF_2) {
            break;
        }
        coefficients[index] = value * component->quantization[index];
    } while (index < LAST_OF_2);
    const int32_t mean = component->prediction * component->quantization[0] + (128 << 3) + 4;
    const int32_t across = coefficients[1], down = coefficients[2], product = coefficients[4];
    uint8_t *lower = out + component->bytes_per_row;
    out[0] = clamped((mean + across + down + product) >> 3);
    out[1] = clamped((mean - across + down - product) >> 3);
    lower[0] = clamped((mean + across - down - product) >> 3);
    lower[1] = clamped((mean - across - down + product) >> 3);
    return block_finish(reader, table, index);
}

typedef uint32_t u32x4 __attribute__((ext_vector_type(4)));
typedef int32_t i32x4 __attribute__((ext_vector_type(4)));
typedef uint8_t u8x4 __attribute__((ext_vector_type(4)));
typedef int16_t i16x8 __attribute__((ext_vector_type(8)));
typedef int32_t i32x8 __attribute__((ext_vector_type(8)));
typedef uint8_t u8x8 __attribute__((ext_vector_type(8)));

// Inverse DCT of four points at a time; cosines with 11 fractional bits. Unsigned, because absurd coefficients may
// overflow.
ALWAYS_INLINE void transform_4(u32x4 *rows) {
    const u32x4 even = (rows[0] + rows[2]) << 11, odd = (rows[0] - rows[2]) << 11;
    // sqrt(2) × cos(pi / 8) and sqrt(2) × cos(3 × pi / 8), times 2048.
    const u32x4 outer = rows[1] * 2676u + rows[3] * 1108u, inner = rows[1] * 1108u - rows[3] * 2676u;
    rows[0] = even + outer;
    rows[1] = odd + inner;
    rows[2] = odd - inner;
    rows[3] = even - outer;
}

ALWAYS_INLINE u32x4 shifted(u32x4 row, uint32_t addend, int shift) {
    return (u32x4)((i32x4)(row + addend) >> shift);
}

ALWAYS_INLINE void block_transform_4(const int32_t *coefficients, uint8_t *out, size_t bytes_per_row) {
    u32x4 rows[4];
    memcpy(rows, coefficients, sizeof rows);
    transform_4(rows);
    for (int i = 0; i < 4; i++) {
        rows[i] = shifted(rows[i], 1 << 9, 10);
    }
    const u32x4 a = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
    const u32x4 b = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
    const u32x4 c = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
    const u32x4 d = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
    u32x4 columns[4] = {
        __builtin_shufflevector(a, c, 0, 1, 4, 5), __builtin_shufflevector(a, c, 2, 3, 6, 7),
        __builtin_shufflevector(b, d, 0, 1, 4, 5), __builtin_shufflevector(b, d, 2, 3, 6, 7),
    };
    transform_4(columns);
    for (int i = 0; i < 4; i++) {
        const int shift = 1 + 11 + 3;
        const i32x4 samples = (i32x4)shifted(columns[i], (1u << (shift - 1)) + (128u << shift), shift);
        const i32x4 limited = __builtin_elementwise_max(__builtin_elementwise_min(samples, (i32x4)255), (i32x4)0);
        const u8x4 bytes = __builtin_convertvector(limited, u8x4);
        memcpy(out + (size_t)i * bytes_per_row, &bytes, sizeof bytes);
    }
}

ALWAYS_INLINE bool block_decode_4(BitReader *reader, Component *component, uint8_t *out) {
    if (!block_dc(reader, component)) {
        return false;
    }
    const HuffmanTable *table = component->ac;
    int32_t coefficients[17] = {0};
    uint32_t index = 0;
    bool is_flat = true;
    do {
        int32_t value;
        bits_fill(reader);
        if (!block_ac(reader, table, &index, &value)) {
            return false;
        }
        if (index > LAST_OF_4) {
            break;
        }
        coefficients[block_places[index]] = value * component->quantization[index];
        is_flat = false;
    } while (index < LAST_OF_4);
    const int32_t mean = component->prediction * component->quantization[0];
    if (is_flat) {
        const uint32_t sample = clamped(((mean + 4) >> 3) + 128) * 0x01010101u;
        for (size_t row = 0; row < 4; row++) {
            memcpy(out + row * component->bytes_per_row, &sample, sizeof sample);
        }
    } else {
        coefficients[0] = mean;
        block_transform_4(coefficients, out, component->bytes_per_row);
    }
    return block_finish(reader, table, index);
}

// Inverse DCT of eight points, eight times; cosines with 12 fractional bits. No input of 16 bits makes a sum overflow,
// since the factors of one are 7.5 together.
ALWAYS_INLINE void transform_8(const i16x8 *in, i32x8 *out) {
    i32x8 x[8];
    for (int i = 0; i < 8; i++) {
        x[i] = __builtin_convertvector(in[i], i32x8);
    }
    // sqrt(2) × cos(n × pi / 16), times 4096.
    const int32_t cos1 = 5681, cos2 = 5352, cos3 = 4816, cos5 = 3218, cos6 = 2217, cos7 = 1130;
    const i32x8 sum = (x[0] + x[4]) << 12, difference = (x[0] - x[4]) << 12;
    const i32x8 outer = x[2] * cos2 + x[6] * cos6, inner = x[2] * cos6 - x[6] * cos2;
    const i32x8 even[4] = {sum + outer, difference + inner, difference - inner, sum - outer};
    const i32x8 odd[4] = {
        x[1] * cos1 + x[3] * cos3 + x[5] * cos5 + x[7] * cos7,
        x[1] * cos3 - x[3] * cos7 - x[5] * cos1 - x[7] * cos5,
        x[1] * cos5 - x[3] * cos1 + x[5] * cos7 + x[7] * cos3,
        x[1] * cos7 - x[3] * cos5 + x[5] * cos3 - x[7] * cos1,
    };
    for (int i = 0; i < 4; i++) {
        out[i] = even[i] + odd[i];
        out[7 - i] = even[i] - odd[i];
    }
}

// Each of three steps interleaves rows that are four apart.
ALWAYS_INLINE void transpose_8(i16x8 *rows) {
    for (int step = 0; step < 3; step++) {
        i16x8 next[8];
        for (int i = 0; i < 4; i++) {
            next[2 * i] = __builtin_shufflevector(rows[i], rows[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
            next[2 * i + 1] = __builtin_shufflevector(rows[i], rows[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
        }
        memcpy(rows, next, sizeof next);
    }
}

ALWAYS_INLINE void block_transform_8(const int16_t *coefficients, uint8_t *out, size_t bytes_per_row) {
    i16x8 rows[8];
    i32x8 sums[8];
    memcpy(rows, coefficients, sizeof rows);
    transform_8(rows, sums);
    for (int i = 0; i < 8; i++) {
        rows[i] = __builtin_convertvector((sums[i] + (1 << 9)) >> 10, i16x8);
    }
    transpose_8(rows);
    transform_8(rows, sums);
    const int shift = 2 + 12 + 3;
    for (int i = 0; i < 8; i++) {
        const i32x8 samples = (sums[i] + (1 << (shift - 1)) + (128 << shift)) >> shift;
        const i32x8 limited = __builtin_elementwise_max(__builtin_elementwise_min(samples, (i32x8)255), (i32x8)0);
        const u8x8 bytes = __builtin_convertvector(limited, u8x8);
        memcpy(out + (size_t)i * bytes_per_row, &bytes, sizeof bytes);
    }
}

ALWAYS_INLINE bool block_decode_8(BitReader *reader, Component *component, uint8_t *out) {
    if (!block_dc(reader, component)) {
        return false;
    }
    const HuffmanTable *table = component->ac;
    int16_t coefficients[64] = {0};
    uint32_t index = 0;
    bool is_flat = true;
    do {
        const uint32_t previous = index;
        int32_t value;
        bits_fill(reader);
        if (!block_ac(reader, table, &index, &value)) {
            return false;
        }
        if (index >= 64) {
            if (index - previous != VALUE_END_OF_BLOCK) {
                return false;
            }
            break;
        }
        coefficients[block_places_8[index]] = (int16_t)(value * component->quantization[index]);
        is_flat = false;
    } while (index < 63);
    const int32_t mean = component->prediction * component->quantization[0];
    if (is_flat) {
        const uint64_t sample = clamped(((mean + 4) >> 3) + 128) * 0x0101010101010101u;
        for (size_t row = 0; row < 8; row++) {
            memcpy(out + row * component->bytes_per_row, &sample, sizeof sample);
        }
    } else {
        coefficients[0] = (int16_t)mean;
        block_transform_8(coefficients, out, component->bytes_per_row);
    }
    return true;
}

#endif
