#include "resize.h"

#include <math.h>
#include <stdlib.h>

// The weights of one axis: `count` for each place of the result, from source place `starts[i]` on.
struct axis {
    int count;
    int *starts;
    float *weights;
};

static double lanczos3(double x) {
    const double pi = 3.14159265358979323846;
    if (x == 0) {
        return 1;
    }
    if (fabs(x) >= 3) {
        return 0;
    }
    return 3 * sin(pi * x) * sin(pi * x / 3) / (pi * pi * x * x);
}

static int make_axis(struct axis *axis, int source, int result) {
    double scale = (double)source / result;
    double stretch = scale > 1 ? scale : 1;
    int count = (int)ceil(6 * stretch) + 1;
    if (count > source) {
        count = source;
    }
    axis->count = count;
    axis->starts = malloc((size_t)result * sizeof *axis->starts);
    axis->weights = malloc((size_t)result * (size_t)count * sizeof *axis->weights);
    if (!axis->starts || !axis->weights) {
        return -1;
    }
    for (int i = 0; i < result; i++) {
        double centre = (i + 0.5) * scale, sum = 0;
        int start = (int)floor(centre - 3 * stretch);
        start = start < 0 ? 0 : start > source - count ? source - count : start;
        float *weights = axis->weights + (size_t)i * (size_t)count;
        for (int k = 0; k < count; k++) {
            weights[k] = (float)lanczos3((start + k + 0.5 - centre) / stretch);
            sum += weights[k];
        }
        for (int k = 0; k < count; k++) {
            weights[k] = (float)(weights[k] / sum);
        }
        axis->starts[i] = start;
    }
    return 0;
}

static void free_axis(struct axis *axis) {
    free(axis->starts);
    free(axis->weights);
}

static uint8_t sample(float value) {
    return value <= 0 ? 0 : value >= 255 ? 255 : (uint8_t)(value + 0.5f);
}

int halcyon_reference_resize(
    const uint8_t *source, int width, int height, uint8_t *result, int result_width, int result_height
) {
    struct axis across = {0}, down = {0};
    int status = -1;
    float *row = malloc((size_t)width * 4 * sizeof *row);
    if (make_axis(&across, width, result_width) == 0 && make_axis(&down, height, result_height) == 0 && row) {
        for (int y = 0; y < result_height; y++) {
            const float *weights = down.weights + (size_t)y * (size_t)down.count;
            const uint8_t *from = source + (size_t)down.starts[y] * (size_t)width * 4;
            for (int x = 0; x < width * 4; x++) {
                row[x] = 0;
            }
            for (int k = 0; k < down.count; k++) {
                for (int x = 0; x < width * 4; x++) {
                    row[x] += weights[k] * from[(size_t)k * (size_t)width * 4 + (size_t)x];
                }
            }
            for (int x = 0; x < result_width; x++) {
                const float *factors = across.weights + (size_t)x * (size_t)across.count;
                const float *pixels = row + (size_t)across.starts[x] * 4;
                float sums[4] = {0};
                for (int k = 0; k < across.count; k++) {
                    for (int c = 0; c < 4; c++) {
                        sums[c] += factors[k] * pixels[k * 4 + c];
                    }
                }
                for (int c = 0; c < 4; c++) {
                    result[((size_t)y * (size_t)result_width + (size_t)x) * 4 + (size_t)c] = sample(sums[c]);
                }
            }
        }
        status = 0;
    }
    free(row);
    free_axis(&across);
    free_axis(&down);
    return status;
}
