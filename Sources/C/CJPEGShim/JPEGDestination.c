#include "JPEGDestination.h"

#include <stdlib.h>

#include <jerror.h>

static void grow(j_compress_ptr info, size_t capacity) {
    JPEGDestination *destination = (JPEGDestination *)info->dest;
    uint8_t *bytes = realloc(destination->bytes, capacity);
    if (bytes == NULL) {
        ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
    }
    destination->manager.next_output_byte = bytes + destination->capacity;
    destination->manager.free_in_buffer = capacity - destination->capacity;
    destination->bytes = bytes;
    destination->capacity = capacity;
}

static void start(j_compress_ptr info) { grow(info, 1 << 16); }

static boolean extend(j_compress_ptr info) {
    grow(info, ((JPEGDestination *)info->dest)->capacity * 2);
    return TRUE;
}

static void end(j_compress_ptr info) {
    JPEGDestination *destination = (JPEGDestination *)info->dest;
    destination->count = destination->capacity - destination->manager.free_in_buffer;
}

void jpeg_destination_init(JPEGDestination *destination) {
    destination->manager.init_destination = start;
    destination->manager.empty_output_buffer = extend;
    destination->manager.term_destination = end;
}
