#include "filters.h"

ALWAYS_INLINE uint32_t magnitude(uint8_t value) {
    return value < 128 ? value : 256u - value;
}

HALCYON_CLONES
uint64_t halcyon_png_filter(
    int type, uint8_t *restrict output, const uint8_t *restrict row, const uint8_t *restrict previous,
    size_t byte_count, size_t bytes_per_pixel) {
    size_t head = bytes_per_pixel < byte_count ? bytes_per_pixel : byte_count;
    switch (type) {
    case 1:
        memcpy(output, row, head);
        for (size_t i = head; i < byte_count; i++) {
            output[i] = (uint8_t)(row[i] - row[i - bytes_per_pixel]);
        }
        break;
    case 2:
        for (size_t i = 0; i < byte_count; i++) {
            output[i] = (uint8_t)(row[i] - previous[i]);
        }
        break;
    case 3:
        for (size_t i = 0; i < head; i++) {
            output[i] = (uint8_t)(row[i] - (previous[i] >> 1));
        }
        for (size_t i = head; i < byte_count; i++) {
            output[i] = (uint8_t)(row[i] - ((row[i - bytes_per_pixel] + previous[i]) >> 1));
        }
        break;
    case 4:
        for (size_t i = 0; i < head; i++) {
            output[i] = (uint8_t)(row[i] - previous[i]);
        }
        for (size_t i = head; i < byte_count; i++) {
            output[i] = (uint8_t)(row[i] - paeth_byte(row[i - bytes_per_pixel], previous[i],
                                                      previous[i - bytes_per_pixel]));
        }
        break;
    default:
        memcpy(output, row, byte_count);
        break;
    }
    uint64_t sum = 0;
    size_t i = 0;
    // 32 bits hold the sum of 2^24 bytes, and twice as many lanes fit a register.
    while (i < byte_count) {
        size_t end = byte_count - i > 1 << 24 ? i + (1 << 24) : byte_count;
        uint32_t part = 0;
        for (; i < end; i++) {
            part += magnitude(output[i]);
        }
        sum += part;
    }
    return sum;
}
