/* libbroch.h: computes models that Broch has trained, in the process of the caller.
 *
 *   libbroch_error error;
 *   libbroch_model* model;
 *   if (libbroch_open("digits.bundle", NULL, &model, &error)) { puts(error.message); return 1; }
 *   float image[64] = {0}, scores[10];
 *   int64_t shape[2] = {1, 64};
 *   libbroch_tensor in = libbroch_tensor_of(image, LIBBROCH_FLOAT32, 2, shape);
 *   libbroch_tensor out = libbroch_memory(scores, sizeof scores);
 *   if (libbroch_run(model, &in, 1, &out, 1, NULL, &error)) puts(error.message);
 *   libbroch_close(model);
 *
 * A model is a bundle, the file that `broch export` writes. It needs neither the plugin of the
 * model nor that of its data.
 *
 * Errors. A function that can fail returns a status, 0 for success, and describes the failure in a
 * libbroch_error of the caller, which may be NULL. No function throws, ends the process or writes
 * to stdout or stderr.
 *
 * Threads. A model may be used by any number of threads at once, and several models may be open.
 * Whoever closes a model makes sure that no thread uses it any more. Each thread that runs a model
 * at the same time as others has memory of its own for the values between inputs and outputs.
 *
 * Memory. What a function returns as `const char*` belongs to the model and lives as long. Data of
 * inputs and outputs belong to the caller; no output may overlap an input or another output, as a
 * large batch is computed in pieces. The library keeps no pointer of the caller after a function
 * has returned, except `log` of libbroch_options.
 *
 * Global state. There is none but that of LibTorch, with which Broch computes: the number of
 * threads that share the work of one run is the same for all models of a process, and opening one
 * sets it. Opening also sets whether LibTorch uses deterministic algorithms alone: with several
 * threads, or with another level than LIBBROCH_FAST. LibTorch, once loaded, stays loaded. It is
 * found through the environment variable BROCH_TORCH_DIR, or as a link `broch/torch` in the folder
 * of this library.
 *
 * Version. From version 1.0, structs do not change and functions do not go. Before, the file name
 * of the library (libbroch.so.0) changes when they do. */
#ifndef LIBBROCH_H
#define LIBBROCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
#define LIBBROCH_API __attribute__((visibility("default")))
#else
#define LIBBROCH_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- errors */

typedef int32_t libbroch_status;

/* The numbers are frozen. Treat one that you do not know as LIBBROCH_FAILED. */
enum {
  LIBBROCH_OK = 0,
  LIBBROCH_CANCELLED = 1,   /* by libbroch_cancel_set */
  LIBBROCH_INVALID = 2,     /* an argument: a name, dtype, shape, size, option */
  LIBBROCH_NO_FILE = 3,     /* the bundle cannot be opened or read */
  LIBBROCH_DAMAGED = 4,     /* it is not a bundle, one of another version, or damaged */
  LIBBROCH_UNAVAILABLE = 5, /* LibTorch, or an operator of the model, is not there */
  LIBBROCH_OUT_OF_MEMORY = 6,
  /* An operator failed while the model was computed. The values of an input may be the reason, such
   * as an index outside of an embedding; they are not looked at before. */
  LIBBROCH_FAILED = 7
};

enum { LIBBROCH_MESSAGE_SIZE = 2048 };

typedef struct libbroch_error {
  libbroch_status status;
  /* Where, what was found, what was expected, what to do. UTF-8, ends with 0; a longer message is
   * cut. "" after a success. */
  char message[LIBBROCH_MESSAGE_SIZE];
} libbroch_error;

/* "invalid argument"; never NULL. */
LIBBROCH_API const char* libbroch_status_text(libbroch_status status);

/* ---- the library */

#define LIBBROCH_VERSION "0.2.0"

/* The version of the library; compare it with LIBBROCH_VERSION, that of this header. */
LIBBROCH_API const char* libbroch_version(void);

/* ---- models */

typedef struct libbroch_model libbroch_model;

enum {
  LIBBROCH_FAST = 0,    /* recorded programs whose sums may be rounded in another order */
  LIBBROCH_BITWISE = 1, /* recorded programs that give the bits of EAGER */
  LIBBROCH_EAGER = 2    /* one operator after the other: slower, for comparisons */
};

typedef struct libbroch_options {
  size_t struct_size; /* sizeof(libbroch_options) */
  /* How many threads share the work of one run; 0: as many as for the models that are open, or 1.
   * LIBBROCH_INVALID if models with another number are open. For many small requests, 1 with
   * several calling threads is fastest. */
  int32_t threads;
  int32_t level; /* LIBBROCH_FAST, … */
  /* For each shape of the inputs, the first run makes a program, which takes much longer. This is
   * the number of shapes whose programs are kept; 0: 8. */
  uint32_t shapes;
  /* Called with warnings, such as why a model is computed eagerly, on a thread that runs it. NULL:
   * nobody is told. `log` must not throw, nor use the model. */
  void (*log)(void* context, const char* message);
  void* log_context;
} libbroch_options;

/* The default options, to be changed. */
static inline libbroch_options libbroch_default_options(void) {
  libbroch_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  return options;
}

/* Opens a bundle; its checksums are compared. options may be NULL. Sets *model to NULL on failure.
 * The file may be replaced or deleted afterwards. */
LIBBROCH_API libbroch_status libbroch_open(const char* file, const libbroch_options* options,
                                           libbroch_model** model, libbroch_error* error);
/* The same for the content of a file; it is copied. */
LIBBROCH_API libbroch_status libbroch_open_memory(const void* bytes, size_t size,
                                                  const libbroch_options* options,
                                                  libbroch_model** model, libbroch_error* error);
/* model may be NULL. */
LIBBROCH_API void libbroch_close(libbroch_model* model);

/* What computes: "LibTorch 2.11.0 (AVX512), kernels avx512". */
LIBBROCH_API const char* libbroch_runtime(const libbroch_model* model);

/* What the bundle says about itself, by keys such as "name", "checkpoint" and "broch", the version
 * that wrote it. "preprocessing" is JSON: what `broch predict` does to a sample before it becomes
 * an input, and what a caller has to do. NULL if there is no such key. */
LIBBROCH_API const char* libbroch_about(const libbroch_model* model, const char* key);
/* All of them, from number 0, in the order of the keys. 0 if there are no more. */
LIBBROCH_API int libbroch_about_at(const libbroch_model* model, size_t number, const char** key,
                                   const char** text);
/* The content of a file that is in the bundle, such as a vocabulary: an option "bundle:NAME" in
 * "preprocessing" stands for it. NULL if there is no such file, or it is empty. */
LIBBROCH_API const void* libbroch_file(const libbroch_model* model, const char* name, size_t* size);

/* ---- inputs and outputs */

enum { LIBBROCH_RANK_MAX = 8 };

enum {
  LIBBROCH_FLOAT32 = 1,
  LIBBROCH_FLOAT64 = 2,
  LIBBROCH_FLOAT16 = 3,
  LIBBROCH_BFLOAT16 = 4,
  LIBBROCH_INT8 = 5,
  LIBBROCH_INT16 = 6,
  LIBBROCH_INT32 = 7,
  LIBBROCH_INT64 = 8,
  LIBBROCH_UINT8 = 9,
  LIBBROCH_BOOL = 10, /* bytes, 0 or 1 */
  LIBBROCH_COMPLEX64 = 11,
  LIBBROCH_COMPLEX128 = 12
};

/* "float32"; "" for an unknown number. */
LIBBROCH_API const char* libbroch_dtype_name(int32_t dtype);
/* In bytes; 0 for an unknown number. */
LIBBROCH_API size_t libbroch_dtype_size(int32_t dtype);

typedef struct libbroch_info {
  const char* name;
  int32_t dtype;
  uint32_t rank;
  int64_t shape[LIBBROCH_RANK_MAX]; /* -1: a size that varies */
  /* What a size that varies is called, "B" for example; that of an output may be computed: "2 * B".
   * Sizes with the same name are equal. NULL: a constant size. */
  const char* symbols[LIBBROCH_RANK_MAX];
  int64_t least[LIBBROCH_RANK_MAX]; /* of an input: its smallest size */
} libbroch_info;

LIBBROCH_API size_t libbroch_input_count(const libbroch_model* model);
LIBBROCH_API size_t libbroch_output_count(const libbroch_model* model);
/* Describes the input or output with this number, from 0. */
LIBBROCH_API libbroch_status libbroch_input(const libbroch_model* model, size_t number,
                                            libbroch_info* info, libbroch_error* error);
LIBBROCH_API libbroch_status libbroch_output(const libbroch_model* model, size_t number,
                                             libbroch_info* info, libbroch_error* error);

/* Elements in plain memory, row-major and without gaps, with any alignment.
 *
 * As an input: all members are set. `bytes` is at least what dtype and shape need; more is not
 * read. As an output: `data` and `bytes` are set, and the run sets the rest. data is not NULL: the
 * elements are written there. If they need more than `bytes`, nothing is computed, the status is
 * LIBBROCH_INVALID, and dtype, rank and shape tell what is needed. data is NULL: the run allocates
 * memory and sets data and bytes; free it with libbroch_free. After a failure it is still NULL. */
typedef struct libbroch_tensor {
  void* data; /* that of an input is only read */
  size_t bytes;
  int32_t dtype;
  uint32_t rank;
  int64_t shape[LIBBROCH_RANK_MAX];
} libbroch_tensor;

/* An input. At most LIBBROCH_RANK_MAX dimensions are copied. */
static inline libbroch_tensor libbroch_tensor_of(void* data, int32_t dtype, uint32_t rank,
                                                 const int64_t* shape) {
  libbroch_tensor tensor;
  uint32_t i;
  memset(&tensor, 0, sizeof tensor);
  tensor.data = data;
  tensor.dtype = dtype;
  tensor.rank = rank;
  tensor.bytes = libbroch_dtype_size(dtype);
  for (i = 0; i < rank && i < LIBBROCH_RANK_MAX; ++i) {
    tensor.shape[i] = shape[i];
    tensor.bytes *= shape[i] > 0 ? (size_t)shape[i] : 0;
  }
  return tensor;
}

/* Memory for an output; NULL and 0: the run allocates it. */
static inline libbroch_tensor libbroch_memory(void* data, size_t bytes) {
  libbroch_tensor tensor;
  memset(&tensor, 0, sizeof tensor);
  tensor.data = data;
  tensor.bytes = bytes;
  return tensor;
}

/* Frees what a run has allocated; may be NULL. */
LIBBROCH_API void libbroch_free(void* data);

/* ---- runs */

/* Asks runs to end early. One object may serve any number of runs. */
typedef struct libbroch_cancel libbroch_cancel;
/* NULL if there is no memory. */
LIBBROCH_API libbroch_cancel* libbroch_cancel_new(void);
/* Runs with this object end with LIBBROCH_CANCELLED: those that begin later at once, the others
 * after the operator that they are computing, or with their result if that is faster. Any thread;
 * may be called by a signal handler. */
LIBBROCH_API void libbroch_cancel_set(libbroch_cancel* cancel);
/* Later runs are computed again; so are those that have not noticed that it was set. */
LIBBROCH_API void libbroch_cancel_reset(libbroch_cancel* cancel);
/* No run may be using it. cancel may be NULL. */
LIBBROCH_API void libbroch_cancel_free(libbroch_cancel* cancel);

/* Computes the model: all inputs and outputs, in the order of libbroch_input and libbroch_output.
 * cancel may be NULL. After a failure, what lies in the memory of outputs is not specified. */
LIBBROCH_API libbroch_status libbroch_run(libbroch_model* model, const libbroch_tensor* inputs,
                                          size_t input_count, libbroch_tensor* outputs,
                                          size_t output_count, libbroch_cancel* cancel,
                                          libbroch_error* error);
/* The same by names: all inputs, and those outputs that are wanted, each in any order. */
LIBBROCH_API libbroch_status libbroch_run_named(libbroch_model* model,
                                                const char* const* input_names,
                                                const libbroch_tensor* inputs, size_t input_count,
                                                const char* const* output_names,
                                                libbroch_tensor* outputs, size_t output_count,
                                                libbroch_cancel* cancel, libbroch_error* error);
/* Sets dtype, rank and shape of the outputs for inputs of these dtypes and shapes, and `bytes` to
 * what each needs. Reads and sets no data. */
LIBBROCH_API libbroch_status libbroch_output_shapes(const libbroch_model* model,
                                                    const libbroch_tensor* inputs,
                                                    size_t input_count, libbroch_tensor* outputs,
                                                    size_t output_count, libbroch_error* error);

#ifdef __cplusplus
}
#endif

#endif
