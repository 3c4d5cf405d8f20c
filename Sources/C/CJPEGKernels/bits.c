#include "bits.h"

// Copies bytes of the file into the window, without the zeros behind bytes of 255, until it is full or a marker comes.
static void fill_window(BitWindow *window) {
    while (window->marker == 0 && window->count < WINDOW_BYTE_COUNT) {
        const size_t room = WINDOW_BYTE_COUNT - window->count;
        const size_t available = (size_t)(window->source_end - window->source);
        const size_t step = room < available ? room : available;
        const uint8_t *found = step > 0 ? memchr(window->source, 0xFF, step) : NULL;
        const size_t run = found != NULL ? (size_t)(found - window->source) : step;
        memcpy(window->bytes + window->count, window->source, run);
        window->count += run;
        window->source += run;
        if (found == NULL) {
            if (window->source == window->source_end) {
                window->marker = 0xD9;
            }
        } else if (window->source_end - window->source < 2 || window->source[1] != 0) {
            window->marker = window->source_end - window->source < 2 ? 0xD9 : window->source[1];
        } else {
            window->bytes[window->count++] = 0xFF;
            window->source += 2;
        }
    }
    memset(window->bytes + window->count, 0, GREATEST_UNIT_BYTE_COUNT);
}

static size_t taken_bit_count(const BitReader *reader, const BitWindow *window) {
    return (size_t)(reader->next - window->bytes) * 8 - (size_t)reader->count;
}

static void set_limit(BitReader *reader, const BitWindow *window) {
    const size_t reserved = GREATEST_UNIT_BYTE_COUNT;
    reader->limit = window->bytes + (window->count > reserved ? window->count - reserved : 0);
}

void bits_start(BitReader *reader, BitWindow *window, const uint8_t *source, const uint8_t *source_end) {
    window->source = source;
    window->source_end = source_end;
    window->marker = 0;
    window->count = 0;
    fill_window(window);
    *reader = (BitReader){.next = window->bytes};
    set_limit(reader, window);
}

bool bits_refill_window(BitReader *reader, BitWindow *window) {
    const size_t taken = taken_bit_count(reader, window);
    if (taken > window->count * 8) {
        return false;
    }
    if (window->marker != 0) {
        // All that there is is in the window already, with enough zeros behind it.
        return true;
    }
    memmove(window->bytes, window->bytes + taken / 8, window->count - taken / 8);
    window->count -= taken / 8;
    fill_window(window);
    *reader = (BitReader){.next = window->bytes};
    set_limit(reader, window);
    bits_fill(reader);
    bits_drop(reader, taken % 8);
    return true;
}

bool bits_are_used_up(BitReader *reader, BitWindow *window) {
    if (!bits_refill_window(reader, window)) {
        return false;
    }
    return window->marker != 0 && taken_bit_count(reader, window) + 8 > window->count * 8;
}
