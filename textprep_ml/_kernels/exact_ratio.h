/* Exact comparison of n / (a * b) for counts of up to 63 bits: products have up to 192 bits. */
#ifndef TEXTPREP_EXACT_RATIO_H
#define TEXTPREP_EXACT_RATIO_H
#include <stdint.h>

typedef struct {
    uint64_t high, middle, low;
} product_t;

static inline void multiply_64(uint64_t a, uint64_t b, uint64_t *high, uint64_t *low) {
#if defined(__SIZEOF_INT128__)
    unsigned __int128 both = (unsigned __int128)a * b;
    *high = (uint64_t)(both >> 64);
    *low = (uint64_t)both;
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t first = a0 * b0, second = a1 * b0 + (first >> 32), third = a0 * b1 + (uint32_t)second;
    *high = a1 * b1 + (second >> 32) + (third >> 32);
    *low = third << 32 | (uint32_t)first;
#endif
}

static inline product_t multiply_three(uint64_t a, uint64_t b, uint64_t c) {
    product_t product;
    uint64_t high, low, carried;
    multiply_64(a, b, &high, &low);
    multiply_64(low, c, &carried, &product.low);
    multiply_64(high, c, &product.high, &product.middle);
    product.middle += carried;
    product.high += product.middle < carried;
    return product;
}

/* Less than, equal to or greater than 0 as the first ratio n / (a * b) is less than, equal to or greater than the other. */
static inline int compare_ratios(uint64_t n, uint64_t a, uint64_t b, uint64_t other_n, uint64_t other_a, uint64_t other_b) {
    product_t left = multiply_three(n, other_a, other_b), right = multiply_three(other_n, a, b);
    if (left.high != right.high) return left.high < right.high ? -1 : 1;
    if (left.middle != right.middle) return left.middle < right.middle ? -1 : 1;
    return left.low < right.low ? -1 : left.low > right.low;
}
#endif
