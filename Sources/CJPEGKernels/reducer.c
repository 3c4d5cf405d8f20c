#include "CJPEGKernels.h"

#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "color.h"

enum {
    GREATEST_COMPONENT_COUNT = 3,
    // libjpeg's (JPEG_MAX_DIMENSION), which has the say about what is refused.
    GREATEST_SIDE = 65500,
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

// MARK: Setting up

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
    if (reducer->component_count == GREATEST_COMPONENT_COUNT || horizontal < 1 || horizontal > 2 || vertical < 1 ||
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
// enlarged. 0 for sampling factors that are left to libjpeg.
static int32_t block_size(const Component *component, const Component *first, int32_t eighths) {
    if (component->vertical == first->vertical) {
        return component->horizontal <= first->horizontal ? eighths : 0;
    }
    const bool is_half = component->vertical * 2 == first->vertical && component->horizontal * 2 == first->horizontal;
    return is_half ? eighths * 2 : 0;
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
    if ((components != 1 && components != 3) || reducer->samples != NULL || (eighths != 1 && eighths != 2 && eighths != 4) ||
        width < 1 || height < 1 || width > GREATEST_SIDE || height > GREATEST_SIDE || restart_interval < 0) {
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

// MARK: Decoding

static bool restart(HalcyonJPEGReducer *reducer, BitReader *reader) {
    BitWindow *window = &reducer->window;
    if (!bits_are_used_up(reader, window) || window->marker != 0xD0 + reducer->next_restart) {
        return false;
    }
    reducer->next_restart = (reducer->next_restart + 1) & 7;
    reducer->units_left = reducer->restart_interval;
    for (int32_t index = 0; index < reducer->component_count; index++) {
        reducer->components[index].prediction = 0;
    }
    bits_start(reader, window, window->source + 2, window->source_end);
    return true;
}

// What happens between some units only. By value and out of line, so that the reader of the loop stays in registers.
typedef struct Turn {
    BitReader reader;
    bool succeeded;
} Turn;

__attribute__((noinline)) static Turn restarted(HalcyonJPEGReducer *reducer, BitReader reader) {
    const bool succeeded = restart(reducer, &reader);
    return (Turn){reader, succeeded};
}

__attribute__((noinline)) static Turn refilled(HalcyonJPEGReducer *reducer, BitReader reader) {
    const bool succeeded = bits_refill_window(&reader, &reducer->window);
    return (Turn){reader, succeeded};
}

ALWAYS_INLINE bool decode_block(BitReader *reader, const Block *block, size_t unit) {
    uint8_t *out = block->out + unit * block->step;
    switch (block->component->block_size) {
    case 1:
        return block_decode_1(reader, block->component, out);
    case 2:
        return block_decode_2(reader, block->component, out);
    case 4:
        return block_decode_4(reader, block->component, out);
    default:
        return block_decode_8(reader, block->component, out);
    }
}

HALCYON_CLONES
static bool decode_unit_row(HalcyonJPEGReducer *reducer) {
    // A copy, because the compiler keeps only that in registers.
    BitReader reader = reducer->reader;
    const int32_t block_count = reducer->block_count;
    for (int32_t unit = 0; unit < reducer->unit_count; unit++) {
        if (reducer->restart_interval > 0) {
            if (reducer->units_left == 0) {
                const Turn turn = restarted(reducer, reader);
                if (!turn.succeeded) {
                    return false;
                }
                reader = turn.reader;
            }
            reducer->units_left--;
        }
        if (__builtin_expect(reader.next >= reader.limit, 0)) {
            const Turn turn = refilled(reducer, reader);
            if (!turn.succeeded) {
                return false;
            }
            reader = turn.reader;
        }
        for (int32_t index = 0; index < block_count; index++) {
            if (!decode_block(&reader, &reducer->blocks[index], (size_t)unit)) {
                return false;
            }
        }
    }
    reducer->reader = reader;
    return true;
}

// A row of colour as wide as the brightness.
static const uint8_t *full_row(HalcyonJPEGReducer *reducer, int32_t index, int32_t row) {
    const Component *component = &reducer->components[index];
    const uint8_t *samples = component->rows + (size_t)row * component->bytes_per_row;
    if (component->bytes_per_row == reducer->components[0].bytes_per_row) {
        return samples;
    }
    uint8_t *out = reducer->doubled[index - 1];
    // libjpeg does not interpolate at 1/8 either.
    if (component->block_size == 1 || component->width < 3) {
        color_double_row(samples, out, component->width);
    } else {
        color_smooth_row(samples, out, component->width);
    }
    return out;
}

static void write_rows(HalcyonJPEGReducer *reducer, uint8_t *pixels, size_t bytes_per_row) {
    const Component *first = &reducer->components[0];
    const size_t width = (size_t)reducer->width;
    for (int32_t row = 0; row < reducer->rows_per_unit && reducer->rows_done < reducer->height; row++) {
        uint8_t *out = pixels + (size_t)reducer->rows_done++ * bytes_per_row;
        const uint8_t *light = first->rows + (size_t)row * first->bytes_per_row;
        if (reducer->component_count == 1) {
            color_expand_row(light, out, width);
        } else {
            color_convert_row(light, full_row(reducer, 1, row), full_row(reducer, 2, row), out, width);
        }
    }
}

bool halcyon_jpeg_reducer_decode(
    HalcyonJPEGReducer *reducer, uint8_t *pixels, size_t bytes_per_row, int32_t unit_row_count, int32_t *rows_done
) {
    for (int32_t row = 0; row < unit_row_count && reducer->rows_done < reducer->height; row++) {
        if (!decode_unit_row(reducer)) {
            return false;
        }
        write_rows(reducer, pixels, bytes_per_row);
    }
    *rows_done = reducer->rows_done;
    if (reducer->rows_done == reducer->height) {
        // The last units may have taken more than there was.
        return bits_refill_window(&reducer->reader, &reducer->window);
    }
    return true;
}
