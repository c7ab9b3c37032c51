// Kernels of the programs that codegen.py writes: plain loops over the elements of operands.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 6 };
enum type { INT8, UINT8, INT16, UINT16, INT32, BOOL };

// A strided piece of a tensor: element c is at `at` + the sum of (c - begin) x stride. With bricks,
// channels are in groups of `brick`.
typedef struct {
  uint8_t* at;
  int32_t box[AXES][2];
  int64_t stride[AXES];
  int32_t brick, phase;
  int64_t brick_stride;
} piece;

// An operand: pieces of a tensor. `stored` is the shape of the tensor that holds the elements of a
// view. An element q stands for (q - zero) x scale; `scales`: none, one, or one per index of an
// axis.
typedef struct {
  enum type type;
  int axes, pieces;
  const piece* piece;
  int32_t box[AXES][2], shape[AXES];
  int stored_axes;
  int32_t stored[AXES];
  int scales, scaled_axis;
  const double* scale;
  const int32_t* zero;
} operand;

typedef struct {
  int32_t kernel[2], stride[2], dilation[2], pad[2];
  int32_t groups, shift, transpose_a, transpose_b, axis;
  int numbers;  // does it compute with the numbers that elements stand for?
  int functions;
  enum { RELU, RELU6 } function[4];
} attributes;

static uint8_t* address(const operand* t, const int32_t* c) {
  int32_t own[AXES];
  int axes = t->axes;
  if (t->stored_axes) {  // of a view: the element with the same number
    int64_t flat = 0;
    for (int a = 0; a < axes; ++a) flat = flat * t->shape[a] + c[a];
    axes = t->stored_axes;
    for (int a = axes; a-- > 0; flat /= t->stored[a]) own[a] = (int32_t)(flat % t->stored[a]);
    c = own;
  }
  for (int k = 0; k < t->pieces; ++k) {
    const piece* p = &t->piece[k];
    int inside = 1;
    for (int a = 0; a < axes; ++a) inside &= c[a] >= p->box[a][0] && c[a] < p->box[a][1];
    if (!inside) continue;
    uint8_t* at = p->at;
    for (int a = 0; a < axes; ++a) {
      const int64_t i = c[a] - p->box[a][0];
      if (a == 1 && p->brick)
        at +=
            (i + p->phase) / p->brick * p->brick_stride + (i + p->phase) % p->brick * p->stride[a];
      else
        at += i * p->stride[a];
    }
    return at;
  }
  fprintf(stderr, "an element is in no piece of its operand\n");
  exit(1);
}

static int64_t get(const operand* t, const int32_t* c) {
  const uint8_t* at = address(t, c);
  union {
    int16_t i16;
    uint16_t u16;
    int32_t i32;
  } word;
  switch (t->type) {
    case INT8:
      return *(const int8_t*)at;
    case INT16:
      memcpy(&word, at, 2);
      return word.i16;
    case UINT16:
      memcpy(&word, at, 2);
      return word.u16;
    case INT32:
      memcpy(&word, at, 4);
      return word.i32;
    default:
      return *at;
  }
}

static int entry(const operand* t, const int32_t* c) {
  return t->scales > 1 ? c[t->scaled_axis] : 0;
}

static int64_t centred(const operand* t, const int32_t* c) {
  return get(t, c) - (t->scales ? t->zero[entry(t, c)] : 0);
}

static double scale(const operand* t, const int32_t* c) {
  return t->scales ? t->scale[entry(t, c)] : 1;
}

// The operand of a computation: the number of an element, or the element.
static double value(const attributes* op, const operand* t, const int32_t* c) {
  return op->numbers ? (double)centred(t, c) * scale(t, c) : (double)get(t, c);
}

static int64_t clamp(int64_t x, int64_t low, int64_t high) {
  return x < low ? low : x > high ? high : x;
}

static void put(const operand* t, const int32_t* c, int64_t x) {
  static const int64_t low[] = {-128, 0, -32768, 0, INT32_MIN, 0},
                       high[] = {127, 255, 32767, 65535, INT32_MAX, 1};
  static const int width[] = {1, 1, 2, 2, 4, 1};
  x = clamp(x, low[t->type], high[t->type]);
  memcpy(address(t, c), &x, (size_t)width[t->type]);  // little endian
}

// The next element of a box; 0 after the last one.
static int next(const operand* t, int32_t* c) {
  for (int a = t->axes; a-- > 0;) {
    if (++c[a] < t->box[a][1]) return 1;
    c[a] = t->box[a][0];
  }
  return 0;
}

static void first(const operand* t, int32_t* c) {
  for (int a = 0; a < t->axes; ++a) c[a] = t->box[a][0];
}

static int64_t fused(const attributes* op, int64_t x) {
  for (int k = 0; k < op->functions; ++k) {
    if (x < 0) x = 0;
    if (op->function[k] == RELU6 && x > 96) x = 96;
  }
  return x;
}

// Applies fused functions to a value and writes it.
static void store(const attributes* op, const operand* out, const int32_t* c, double x) {
  if (!op->numbers) {
    put(out, c, fused(op, (int64_t)rint(x)));
    return;
  }
  for (int k = 0; k < op->functions; ++k) {
    x = fmax(x, 0);
    if (op->function[k] == RELU6) x = fmin(x, 6);
  }
  x = fmin(fmax(rint(x / scale(out, c)), -1e9), 1e9);
  put(out, c, (int64_t)x + (out->scales ? out->zero[entry(out, c)] : 0));
}

// Bias, shift or scale, and fused functions of a complete sum. `add`: the element of the bias.
static void finish(const attributes* op, const operand* out, const int32_t* c, const operand* bias,
                   const int32_t* add, int64_t sum, double factor) {
  if (bias) sum += get(bias, add);
  sum = (int32_t)(uint32_t)sum;
  if (op->shift > 0) sum = (sum + ((int64_t)1 << (op->shift - 1))) >> op->shift;
  store(op, out, c, op->numbers ? (double)sum * factor : (double)sum);
}

// `sums`: those of the parts of a split reduction before this one, or null; `last`: is this the
// last part?
static inline void conv(const attributes* op, const operand* out, const operand* const* in,
                        const operand* sums, int last) {
  const operand *x = in[0], *w = in[1], *bias = in[2];
  const int in_group = x->shape[1] / op->groups, out_group = out->shape[1] / op->groups;
  int32_t c[AXES];
  first(out, c);
  do {
    int64_t sum = sums ? get(sums, c) : 0;
    const int begin = c[1] / out_group * in_group;
    for (int k = begin < x->box[1][0] ? x->box[1][0] : begin;
         k < begin + in_group && k < x->box[1][1]; ++k)
      for (int r = 0; r < op->kernel[0]; ++r)
        for (int s = 0; s < op->kernel[1]; ++s) {
          const int32_t at[AXES] = {c[0], k,
                                    c[2] * op->stride[0] - op->pad[0] + r * op->dilation[0],
                                    c[3] * op->stride[1] - op->pad[1] + s * op->dilation[1]};
          if (at[2] < 0 || at[2] >= x->shape[2] || at[3] < 0 || at[3] >= x->shape[3]) continue;
          sum += centred(x, at) * centred(w, (const int32_t[AXES]){c[1], k - begin, r, s});
        }
    if (last)
      finish(op, out, c, bias, &c[1], sum, scale(x, c) * scale(w, (const int32_t[AXES]){c[1]}));
    else
      put(out, c, (int32_t)(uint32_t)sum);
  } while (next(out, c));
}

static inline void matmul(const attributes* op, const operand* out, const operand* const* in,
                          const operand* sums, int last) {
  const operand *a = in[0], *b = in[1], *bias = in[2];
  const int axis = op->transpose_a ? a->axes - 2 : a->axes - 1, rows = out->axes - 2;
  int32_t c[AXES], l[AXES], r[AXES], add[AXES];
  first(out, c);
  do {
    int64_t sum = sums ? get(sums, c) : 0;
    for (int n = 0; n < a->axes; ++n) l[n] = a->shape[n] == 1 ? 0 : c[n + out->axes - a->axes];
    for (int n = 0; n < b->axes; ++n) r[n] = b->shape[n] == 1 ? 0 : c[n + out->axes - b->axes];
    for (int k = a->box[axis][0]; k < a->box[axis][1]; ++k) {
      l[a->axes - 2] = op->transpose_a ? k : c[rows];
      l[a->axes - 1] = op->transpose_a ? c[rows] : k;
      r[b->axes - 2] = op->transpose_b ? c[rows + 1] : k;
      r[b->axes - 1] = op->transpose_b ? k : c[rows + 1];
      sum += centred(a, l) * centred(b, r);
    }
    if (bias)
      for (int n = 0; n < bias->axes; ++n)
        add[n] = bias->shape[n] == 1 ? 0 : c[n + out->axes - bias->axes];
    if (last)
      finish(op, out, c, bias, add, sum, scale(a, l) * scale(b, r));
    else
      put(out, c, (int32_t)(uint32_t)sum);
  } while (next(out, c));
}

static inline void pool(const attributes* op, const operand* out, const operand* const* in,
                        int average) {
  const operand* x = in[0];
  int32_t c[AXES];
  first(out, c);
  do {
    double sum = 0, count = 0, most = INT32_MIN;
    for (int r = 0; r < op->kernel[0]; ++r)
      for (int s = 0; s < op->kernel[1]; ++s) {
        const int32_t at[AXES] = {c[0], c[1],
                                  c[2] * op->stride[0] - op->pad[0] + r * op->dilation[0],
                                  c[3] * op->stride[1] - op->pad[1] + s * op->dilation[1]};
        if (at[2] < 0 || at[2] >= x->shape[2] || at[3] < 0 || at[3] >= x->shape[3]) continue;
        const double seen = value(op, x, at);
        sum += seen;
        ++count;
        if (seen > most) most = seen;
      }
    store(op, out, c, average ? sum / count : most);
  } while (next(out, c));
}

// Mean over rows and columns, which the output keeps as extents of 1 or drops.
static inline void mean(const attributes* op, const operand* out, const operand* const* in) {
  const operand* x = in[0];
  int32_t c[AXES];
  first(out, c);
  do {
    double sum = 0;
    for (int h = 0; h < x->shape[2]; ++h)
      for (int w = 0; w < x->shape[3]; ++w)
        sum += value(op, x, (const int32_t[AXES]){c[0], c[1], h, w});
    store(op, out, c, sum / (x->shape[2] * x->shape[3]));
  } while (next(out, c));
}

enum function { ADD, SUB, MUL, MAX, MIN, COPY };

static inline void elementwise(const attributes* op, const operand* out, const operand* const* in,
                               int inputs, enum function function) {
  int32_t c[AXES], at[AXES];
  first(out, c);
  do {
    double total = 0;
    for (int k = 0; k < inputs; ++k) {
      const operand* x = in[k];
      for (int n = 0; n < x->axes; ++n) at[n] = x->shape[n] == 1 ? 0 : c[n + out->axes - x->axes];
      const double y = value(op, x, at);
      if (k == 0)
        total = y;
      else if (function == ADD)
        total += y;
      else if (function == SUB)
        total -= y;
      else if (function == MUL)
        total = op->numbers ? total * y : floor(total * y / 16);
      else if (function == MAX)
        total = y > total ? y : total;
      else
        total = y < total ? y : total;
    }
    store(op, out, c, total);
  } while (next(out, c));
}

// A function of one element of 8 bits, with fused functions if it computes with numbers.
static inline void lookup(const attributes* op, const operand* out, const operand* const* in,
                          const int16_t* table) {
  int32_t c[AXES];
  first(out, c);
  do {
    const int64_t made = table[(uint8_t)get(in[0], c)];
    put(out, c, op->numbers ? made : fused(op, made));
  } while (next(out, c));
}

static inline void concat(const attributes* op, const operand* out, const operand* const* in,
                          int inputs, const int32_t* extents) {
  int32_t c[AXES], at[AXES];
  first(out, c);
  do {
    memcpy(at, c, sizeof at);
    for (int k = 0; k < inputs; ++k) {
      if (at[op->axis] < extents[k]) {
        store(op, out, c, value(op, in[k], at));
        break;
      }
      at[op->axis] -= extents[k];
    }
  } while (next(out, c));
}

static inline void softmax(const attributes* op, const operand* out, const operand* const* in) {
  const operand* x = in[0];
  int32_t c[AXES], at[AXES];
  const double unit = op->numbers ? 1 : 16;
  first(out, c);
  do {
    memcpy(at, c, sizeof at);
    double most = -1e300, sum = 0;
    for (at[op->axis] = 0; at[op->axis] < x->shape[op->axis]; ++at[op->axis])
      most = fmax(most, value(op, x, at) / unit);
    for (at[op->axis] = 0; at[op->axis] < x->shape[op->axis]; ++at[op->axis])
      sum += exp(value(op, x, at) / unit - most);
    store(op, out, c, exp(value(op, x, c) / unit - most) / sum * (op->numbers ? 1 : 128));
  } while (next(out, c));
}

static inline void memcpy2d(uint8_t* to, int64_t to_stride, const uint8_t* from,
                            int64_t from_stride, int64_t run, int64_t count) {
  for (int64_t k = 0; k < count; ++k)
    memcpy(to + k * to_stride, from + k * from_stride, (size_t)run);
}

// Copies `count[0]` x ... runs.
static inline void copy(uint8_t* to, const uint8_t* from, int dims, const int64_t (*dim)[3],
                        int64_t run) {
  if (dims == 0)
    memcpy(to, from, (size_t)run);
  else if (dims == 1)
    memcpy2d(to, dim[0][1], from, dim[0][2], run, dim[0][0]);
  else
    for (int64_t k = 0; k < dim[0][0]; ++k)
      copy(to + k * dim[0][1], from + k * dim[0][2], dims - 1, dim + 1, run);
}

// The runs of a copy, one after another in new memory.
static inline uint8_t* gather(const uint8_t* from, int dims, const int64_t (*dim)[3], int64_t run) {
  int64_t size = run, packed[AXES + 2][3];
  for (int k = dims; k-- > 0; size *= dim[k][0]) {
    packed[k][0] = dim[k][0];
    packed[k][1] = size;
    packed[k][2] = dim[k][2];
  }
  uint8_t* between = malloc((size_t)size);
  copy(between, from, dims, (const int64_t(*)[3])packed, run);
  return between;
}

// The inverse; frees `between`.
static inline void scatter(uint8_t* to, uint8_t* between, int dims, const int64_t (*dim)[3],
                           int64_t run) {
  int64_t size = run, packed[AXES + 2][3];
  for (int k = dims; k-- > 0; size *= dim[k][0]) {
    packed[k][0] = dim[k][0];
    packed[k][1] = dim[k][1];
    packed[k][2] = size;
  }
  copy(to, between, dims, (const int64_t(*)[3])packed, run);
  free(between);
}
