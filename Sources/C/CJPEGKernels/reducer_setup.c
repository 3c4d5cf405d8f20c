#include "reducer.h"

#include <stdlib.h>

enum {
    // libjpeg's (JPEG_MAX_DIMENSION), which decides what is refused.
    GREATEST_SIDE = 65500,
};

HalcyonJPEGReducer *halcyon_jpeg_reducer_create(void) {
    // Not cleared as a whole: most of it are tables and the window.
    HalcyonJPEGReducer *reducer = malloc(sizeof *reducer);
    if (reducer == NULL) {
        return NULL;
    }
    for (int index = 0; index < 4; index++) {
        reducer->tables[0][index].is_set = reducer->tables[1][index].is_set = false;
    }
    reducer->component_count = 0;
    reducer->block_count = 0;
    reducer->unit_count = 0;
    reducer->width = reducer->height = reducer->rows_done = 0;
    reducer->samples = NULL;
    return reducer;
}

void halcyon_jpeg_reducer_destroy(HalcyonJPEGReducer *reducer) {
    free(reducer->samples);
    free(reducer);
}

bool halcyon_jpeg_reducer_set_table(
    HalcyonJPEGReducer *reducer, bool is_ac, int32_t destination, const uint8_t *counts, const uint8_t *symbols,
    size_t symbol_count
) {
    if (destination < 0 || destination > 3) {
        return false;
    }
    return huffman_table_set(&reducer->tables[is_ac][destination], is_ac, counts, symbols, symbol_count);
}

bool halcyon_jpeg_reducer_add_component(
    HalcyonJPEGReducer *reducer, int32_t horizontal, int32_t vertical, int32_t dc_table, int32_t ac_table,
    const uint16_t *quantization
) {
    if (reducer->component_count == GREATEST_COMPONENT_COUNT || horizontal < 1 || horizontal > 4 || horizontal == 3 || vertical < 1 ||
        vertical > 2 || dc_table < 0 || dc_table > 3 || ac_table < 0 || ac_table > 3 ||
        !reducer->tables[false][dc_table].is_set || !reducer->tables[true][ac_table].is_set) {
        return false;
    }
    Component *component = &reducer->components[reducer->component_count];
    for (int index = 0; index < 64; index++) {
        if (quantization[index] > 255) {
            return false;
        }
        component->quantization[index] = quantization[index];
    }
    component->horizontal = horizontal;
    component->vertical = vertical;
    component->dc = &reducer->tables[false][dc_table];
    component->ac = &reducer->tables[true][ac_table];
    component->prediction = 0;
    reducer->component_count++;
    return true;
}

// A component with half the resolution in both directions gives blocks of twice the side, so that nothing has to be
// enlarged; so does one with half the resolution from top to bottom only (4:4:0), whose rows are twice as long then.
// 0 for sampling factors that are left to libjpeg.
static int32_t block_size(const Component *component, const Component *first, int32_t eighths) {
    if (component->vertical == first->vertical) {
        return component->horizontal <= first->horizontal ? eighths : 0;
    }
    const bool is_half = component->horizontal * 2 == first->horizontal || component->horizontal == first->horizontal;
    return component->vertical * 2 == first->vertical && is_half ? eighths * 2 : 0;
}

static bool allocate_samples(HalcyonJPEGReducer *reducer) {
    size_t total = 0;
    for (int32_t index = 0; index < reducer->component_count; index++) {
        const Component *component = &reducer->components[index];
        total += component->bytes_per_row * (size_t)(component->vertical * component->block_size);
    }
    const size_t doubled = reducer->components[0].bytes_per_row + 64;
    reducer->samples = malloc(total + 2 * doubled);
    if (reducer->samples == NULL) {
        return false;
    }
    uint8_t *next = reducer->samples;
    for (int32_t index = 0; index < reducer->component_count; index++) {
        Component *component = &reducer->components[index];
        component->rows = next;
        next += component->bytes_per_row * (size_t)(component->vertical * component->block_size);
    }
    reducer->doubled[0] = next;
    reducer->doubled[1] = next + doubled;
    return true;
}

static bool list_blocks(HalcyonJPEGReducer *reducer) {
    for (int32_t index = 0; index < reducer->component_count; index++) {
        Component *component = &reducer->components[index];
        const size_t size = (size_t)component->block_size;
        for (int32_t y = 0; y < component->vertical; y++) {
            for (int32_t x = 0; x < component->horizontal; x++) {
                if (reducer->block_count == GREATEST_BLOCK_COUNT) {
                    return false;
                }
                uint8_t *out = component->rows + (size_t)y * size * component->bytes_per_row + (size_t)x * size;
                reducer->blocks[reducer->block_count++] =
                    (Block){component, out, (size_t)component->horizontal * size};
            }
        }
    }
    return true;
}

bool halcyon_jpeg_reducer_start(
    HalcyonJPEGReducer *reducer, const uint8_t *bytes, size_t count, int32_t width, int32_t height, int32_t eighths,
    int32_t restart_interval
) {
    const int32_t components = reducer->component_count;
    if ((components != 1 && components != 3) || reducer->samples != NULL ||
        (eighths != 1 && eighths != 2 && eighths != 4) || width < 1 || height < 1 || width > GREATEST_SIDE || height > GREATEST_SIDE || restart_interval < 0) {
        return false;
    }
    Component *first = &reducer->components[0];
    if (components == 1) {
        // The scan of a single component has units of one block, whatever its factors (T.81 A.2.2).
        first->horizontal = first->vertical = 1;
    }
    reducer->width = (width * eighths + 7) / 8;
    reducer->height = (height * eighths + 7) / 8;
    reducer->unit_count = (width - 1) / (8 * first->horizontal) + 1;
    reducer->rows_per_unit = first->vertical * eighths;
    for (int32_t index = 0; index < components; index++) {
        Component *component = &reducer->components[index];
        component->block_size = block_size(component, first, eighths);
        if (component->block_size == 0) {
            return false;
        }
        component->bytes_per_row = (size_t)(reducer->unit_count * component->horizontal * component->block_size);
        const int32_t factor = component->horizontal * component->block_size;
        const int32_t whole = first->horizontal * 8;
        component->width = (size_t)((width * factor + whole - 1) / whole);
    }
    if (!allocate_samples(reducer) || !list_blocks(reducer)) {
        return false;
    }
    reducer->restart_interval = restart_interval;
    reducer->units_left = restart_interval;
    reducer->next_restart = 0;
    bits_start(&reducer->reader, &reducer->window, bytes, bytes + count);
    return true;
}

int32_t halcyon_jpeg_reducer_width(const HalcyonJPEGReducer *reducer) { return reducer->width; }

int32_t halcyon_jpeg_reducer_height(const HalcyonJPEGReducer *reducer) { return reducer->height; }
