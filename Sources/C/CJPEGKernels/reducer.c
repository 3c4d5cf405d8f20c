#include "reducer.h"

#include "color.h"

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
    if (component->bytes_per_row > reducer->components[0].bytes_per_row) {
        color_halve_row(samples, out, reducer->components[0].bytes_per_row);
        return out;
    }
    if (component->bytes_per_row * 4 == reducer->components[0].bytes_per_row) {
        color_quadruple_row(samples, out, component->width);
        return out;
    }
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
