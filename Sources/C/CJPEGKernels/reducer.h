#ifndef HALCYON_JPEG_REDUCER_H
#define HALCYON_JPEG_REDUCER_H

#include "CJPEGKernels.h"
#include "blocks.h"

enum {
    GREATEST_COMPONENT_COUNT = 3,
};

// One block of a unit: where its samples go, and how far apart those of neighbouring units are.
typedef struct Block {
    Component *component;
    uint8_t *out;
    size_t step;
} Block;

struct HalcyonJPEGReducer {
    BitReader reader;
    BitWindow window;
    HuffmanTable tables[2][4];
    Component components[GREATEST_COMPONENT_COUNT];
    int32_t component_count;
    Block blocks[GREATEST_BLOCK_COUNT];
    int32_t block_count;
    int32_t width;
    int32_t height;
    // Of a row of units.
    int32_t unit_count;
    int32_t rows_per_unit;
    int32_t rows_done;
    int32_t restart_interval;
    // Units until the next restart marker.
    int32_t units_left;
    int32_t next_restart;
    // The samples of a row of units, all components; behind them two rows of colour at full width.
    uint8_t *samples;
    uint8_t *doubled[2];
};

#endif
