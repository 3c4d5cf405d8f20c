#include "huffman.h"

#include <string.h>

// A symbol of the code that a number of bits begins with: its length in bits, 0 where they hold no whole code.
typedef struct Code {
    uint8_t length;
    uint8_t symbol;
} Code;

static bool is_usual(bool is_ac, uint8_t symbol) {
    return is_ac ? (symbol & 15) <= GREATEST_CATEGORY - 1 : symbol <= GREATEST_CATEGORY;
}

// The codes of all bit patterns of SKIP_BITS bits. False where there are more codes than lengths allow.
static bool assign_codes(HuffmanTable *table, Code *codes, const uint8_t *counts) {
    uint32_t code = 0;
    int32_t index = 0;
    memset(codes, 0, sizeof(Code) << SKIP_BITS);
    for (int length = 1; length <= 16; length++) {
        table->offsets[length] = index - (int32_t)code;
        for (int i = 0; i < counts[length - 1]; i++, code++, index++) {
            if (code >= 1u << length) {
                return false;
            }
            if (length <= SKIP_BITS) {
                const uint32_t spread = 1u << (SKIP_BITS - length);
                for (uint32_t k = 0; k < spread; k++) {
                    codes[code * spread + k] = (Code){(uint8_t)length, table->symbols[index]};
                }
            }
        }
        table->limits[length] = code << (16 - length);
        code <<= 1;
    }
    return true;
}

// T.81 F.2.2.1: values below half of their range are negative.
static int32_t extended(uint32_t value, int category) {
    return category > 0 && value < 1u << (category - 1) ? (int32_t)value - (1 << category) + 1 : (int32_t)value;
}

static void fill_values(HuffmanTable *table, const Code *codes, bool is_ac) {
    for (uint32_t bits = 0; bits < 1u << VALUE_BITS; bits++) {
        const Code code = codes[bits << (SKIP_BITS - VALUE_BITS)];
        const int category = is_ac ? code.symbol & 15 : code.symbol;
        const int length = code.length + category;
        uint32_t entry = 0;
        if (code.length > 0 && length <= VALUE_BITS) {
            const uint32_t value = bits >> (VALUE_BITS - length) & ((1u << category) - 1);
            const bool is_end = is_ac && category == 0 && code.symbol != 0xF0;
            const uint32_t advance = is_end ? VALUE_END_OF_BLOCK : is_ac ? (uint32_t)(code.symbol >> 4) + 1 : 1;
            entry = (uint32_t)length | advance << 8 | (uint32_t)extended(value, category) << 16;
        }
        table->values[bits] = entry;
    }
}

static void fill_skips(HuffmanTable *table, const Code *codes) {
    const uint32_t mask = (1u << SKIP_BITS) - 1;
    for (uint32_t bits = 0; bits <= mask; bits++) {
        int used = 0, advance = 0;
        while (true) {
            // Zeros move in at the right, but a code found is only taken where it is made of the bits alone.
            const Code code = codes[bits << used & mask];
            const int category = code.symbol & 15;
            if (code.length == 0 || used + code.length + category > SKIP_BITS) {
                break;
            }
            if (category == 0 && code.symbol != 0xF0) {
                used += code.length;
                advance += SKIP_END_OF_BLOCK;
                break;
            }
            // More than 63 coefficients cannot follow.
            if (advance + (code.symbol >> 4) + 1 > 63) {
                break;
            }
            used += code.length + category;
            advance += (code.symbol >> 4) + 1;
        }
        table->skips[bits] = used == 0 ? SKIP_NOTHING << 8 : (uint16_t)(used | advance << 8);
    }
}

bool huffman_table_set(
    HuffmanTable *table, bool is_ac, const uint8_t *counts, const uint8_t *symbols, size_t symbol_count
) {
    size_t total = 0;
    for (int length = 0; length < 16; length++) {
        total += counts[length];
    }
    if (total != symbol_count || total > sizeof table->symbols) {
        return false;
    }
    for (size_t i = 0; i < symbol_count; i++) {
        if (!is_usual(is_ac, symbols[i])) {
            return false;
        }
        table->symbols[i] = symbols[i];
    }
    Code codes[1 << SKIP_BITS];
    table->is_set = assign_codes(table, codes, counts);
    if (table->is_set) {
        fill_values(table, codes, is_ac);
        if (is_ac) {
            fill_skips(table, codes);
        }
    }
    return table->is_set;
}
