/* predict.c: reads numbers, computes a model, prints the results: predict BUNDLE < NUMBERS
 *
 * The model has one input of float32 with a batch; the numbers are those of whole examples.
 */
#include <libbroch.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const char* what, const libbroch_error* error) {
  fprintf(stderr, "%s: %s\n", what, error->message);
  return 1;
}

/* All numbers of stdin; the caller frees them. */
static float* read_numbers(size_t* count) {
  size_t room = 0;
  float *numbers = NULL, number;
  *count = 0;
  while (scanf("%f", &number) == 1) {
    if (*count == room) {
      float* const more = realloc(numbers, (room = 2 * room + 64) * sizeof *numbers);
      if (!more) abort();
      numbers = more;
    }
    numbers[(*count)++] = number;
  }
  return numbers;
}

int main(int argc, char** argv) {
  libbroch_error error;
  libbroch_model* model;
  libbroch_info info;
  libbroch_tensor in, out;
  size_t count, each = 1, i;
  float* numbers;
  int result = 0;
  if (argc != 2) return fprintf(stderr, "usage: predict BUNDLE < NUMBERS\n"), 2;
  if (libbroch_open(argv[1], NULL, &model, &error)) return fail("open", &error);
  if (libbroch_input(model, 0, &info, &error)) return fail("input", &error);
  for (i = 1; i < info.rank; ++i) each *= (size_t)info.shape[i];
  numbers = read_numbers(&count);
  info.shape[0] = (int64_t)(count / each);
  in = libbroch_tensor_of(numbers, LIBBROCH_FLOAT32, info.rank, info.shape);
  out = libbroch_memory(NULL, 0); /* the library allocates it */
  if (!feof(stdin) || count % each != 0) {
    fprintf(stderr, "found %zu numbers%s, expected only numbers, %zu for each example\n", count,
            feof(stdin) ? "" : " and then another word", each);
    result = 1;
  } else if (libbroch_run(model, &in, 1, &out, 1, NULL, &error)) {
    result = fail("run", &error);
  } else {
    const float* const values = out.data;
    const size_t all = out.bytes / sizeof(float), row = out.rank > 1 ? (size_t)out.shape[1] : 1;
    for (i = 0; i < all; ++i) printf("%.4f%c", values[i], (i + 1) % row ? ' ' : '\n');
  }
  libbroch_free(out.data);
  free(numbers);
  libbroch_close(model);
  return result;
}
