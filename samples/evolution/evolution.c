/* evolution.c: a trainer without gradients, batches or a model: evolution strategies that balance a
 * pole on a cart. Source: Salimans et al., Evolution strategies as a scalable alternative to
 * reinforcement learning, 2017.
 *
 * A step is one generation. It tries pairs of policies on opposite sides of the current policy, and
 * moves the current policy towards those that kept the pole up for longer. The policy and the
 * number of generations are variables, so a checkpoint contains the whole state. */
#include <broch/broch.h>
#include <stdlib.h>
#include <string.h>

#include "cart_pole.h"

enum { HIDDEN = 8, PARAMETERS = HIDDEN * (CART_POLE_STATE + 2) + 1, MAX_PAIRS = 512 };

typedef struct evolution {
  const broch_host* host;
  const broch_host_config* config;
  const broch_host_variables* variables;
  const broch_host_tensor* tensors;
  const broch_host_plan* plans;
  const broch_host_metrics* metrics;
  broch_variable policy, generation;
  uint64_t seed;
  int64_t pairs, episodes, most;
  double deviation, rate, enough;
  int32_t hooked;
  double parameters[PARAMETERS];
  int64_t generations;
} evolution;

static broch_status read_options(evolution* self) {
  const broch_host_config* config = self->config;
  broch_status status = config->get_i64(self->host, "/pairs", &self->pairs);
  if (status == BROCH_OK) status = config->get_i64(self->host, "/episodes", &self->episodes);
  if (status == BROCH_OK) status = config->get_i64(self->host, "/longest", &self->most);
  if (status == BROCH_OK) status = config->get_f64(self->host, "/deviation", &self->deviation);
  if (status == BROCH_OK) status = config->get_f64(self->host, "/learning_rate", &self->rate);
  if (status == BROCH_OK) status = config->get_f64(self->host, "/enough", &self->enough);
  return status == BROCH_OK ? config->get_bool(self->host, "/hooked", &self->hooked) : status;
}

static broch_status create(const broch_host* host, const char* options, void** out) {
  evolution* self = (evolution*)calloc(1, sizeof *self);
  const broch_host_instance* instance =
      (const broch_host_instance*)host->get_extension(host, BROCH_EXT_INSTANCE);
  broch_status status = BROCH_OK;
  (void)options;
  if (self == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  self->host = host;
  self->config = (const broch_host_config*)host->get_extension(host, BROCH_EXT_CONFIG);
  self->variables = (const broch_host_variables*)host->get_extension(host, BROCH_EXT_VARIABLES);
  self->tensors = (const broch_host_tensor*)host->get_extension(host, BROCH_EXT_TENSOR);
  self->plans = (const broch_host_plan*)host->get_extension(host, BROCH_EXT_PLAN);
  self->metrics = (const broch_host_metrics*)host->get_extension(host, BROCH_EXT_METRICS);
  if (instance == NULL || self->config == NULL || self->variables == NULL ||
      self->tensors == NULL || self->plans == NULL || self->metrics == NULL) {
    free(self);
    return host->fail(host, BROCH_E_UNIMPLEMENTED,
                      "this host lacks an extension that evolution needs");
  }
  self->seed = instance->seed(host);
  status = read_options(self);
  if (status != BROCH_OK) {
    free(self);
    return status;
  }
  *out = self;
  return BROCH_OK;
}

static void destroy(void* self) { free(self); }

/* The force with which the policy pushes, from -10 to 10 newtons: a network with one hidden
 * layer. */
static double push_of(const double* parameters, const double* state) {
  const double* weight = parameters;
  const double* bias = weight + HIDDEN * CART_POLE_STATE;
  const double* out = bias + HIDDEN;
  double sum = out[HIDDEN];
  for (int unit = 0; unit < HIDDEN; ++unit) {
    double input = bias[unit];
    for (int i = 0; i < CART_POLE_STATE; ++i) input += *weight++ * state[i];
    sum += out[unit] * tanh(input);
  }
  return 10 * tanh(sum);
}

/* How long the pole stays up, in pushes: the mean over episodes, whose starts depend only on
 * key. */
static double score_of(const evolution* self, const double* parameters, uint64_t key) {
  draws starts = {key};
  int64_t pushes = 0;
  for (int64_t episode = 0; episode < self->episodes; ++episode) {
    cart_pole pole;
    cart_pole_start(&pole, &starts);
    for (int64_t i = 0; i < self->most && cart_pole_is_up(&pole); ++i, ++pushes)
      cart_pole_push(&pole, push_of(parameters, pole.state));
  }
  return (double)pushes / (double)self->episodes;
}

static uint64_t key_of(const evolution* self, uint64_t what) {
  draws key = {self->seed ^ (what * 0x9E3779B97F4A7C15u)};
  return draw(&key) + (uint64_t)self->generations;
}

/* The score of a policy of a pair, which lies on side 1 or -1 of the current one. */
static double try_side(const evolution* self, int64_t pair, double side) {
  double moved[PARAMETERS];
  draws noise = {key_of(self, 1 + (uint64_t)pair)};
  for (int i = 0; i < PARAMETERS; ++i)
    moved[i] = self->parameters[i] + side * self->deviation * draw_normal(&noise);
  return score_of(self, moved, key_of(self, 0)); /* the same starts for all policies */
}

/* Replaces scores by ranks, so that their scale does not matter: from -0.5 for the worst to 0.5 for
 * the best. Equal scores get equal ranks. */
static void rank(const double* scores, int64_t count, double* ranks) {
  for (int64_t i = 0; i < count; ++i) {
    int64_t below = 0, equal = 0;
    for (int64_t j = 0; j < count; ++j) {
      below += scores[j] < scores[i];
      equal += scores[j] == scores[i];
    }
    ranks[i] = ((double)below + 0.5 * (double)(equal - 1)) / (double)(count - 1) - 0.5;
  }
}

static void evolve(evolution* self) {
  double scores[2 * MAX_PAIRS], ranks[2 * MAX_PAIRS], slope[PARAMETERS] = {0};
  for (int64_t i = 0; i < 2 * self->pairs; ++i)
    scores[i] = try_side(self, i / 2, i % 2 == 0 ? 1 : -1);
  rank(scores, 2 * self->pairs, ranks);
  for (int64_t pair = 0; pair < self->pairs; ++pair) {
    const double better = ranks[2 * pair] - ranks[2 * pair + 1];
    draws noise = {key_of(self, 1 + (uint64_t)pair)};
    for (int i = 0; i < PARAMETERS; ++i) slope[i] += better * draw_normal(&noise);
  }
  for (int i = 0; i < PARAMETERS; ++i)
    self->parameters[i] += self->rate * slope[i] / (2 * (double)self->pairs * self->deviation);
  ++self->generations;
}

static broch_dl_tensor tensor_of(void* data, uint8_t code, int64_t* shape) {
  broch_dl_tensor tensor;
  memset(&tensor, 0, sizeof tensor);
  tensor.data = data;
  tensor.device.device_type = BROCH_DL_CPU;
  tensor.ndim = shape != NULL;
  tensor.dtype.code = code;
  tensor.dtype.bits = 64;
  tensor.dtype.lanes = 1;
  tensor.shape = shape;
  return tensor;
}

static broch_status create_variable(evolution* self, const char* name, broch_dtype dtype,
                                    const int64_t* shape, broch_variable* variable) {
  broch_variable_spec spec;
  memset(&spec, 0, sizeof spec);
  spec.struct_size = sizeof spec;
  spec.dtype = dtype;
  spec.rank = shape != NULL;
  spec.shape = shape;
  spec.flags = BROCH_VARIABLE_MODEL;
  spec.initializer = BROCH_INIT_CONSTANT;
  return self->variables->create(self->host, name, &spec, variable);
}

static broch_status setup_graph(void* self_) {
  evolution* self = (evolution*)self_;
  const int64_t shape = PARAMETERS;
  const broch_status status = create_variable(self, "policy", BROCH_FLOAT64, &shape, &self->policy);
  return status == BROCH_OK
             ? create_variable(self, "generation", BROCH_INT64, NULL, &self->generation)
             : status;
}

static broch_status load(evolution* self, broch_variable variable, void* to, uint64_t size) {
  broch_tensor value = 0;
  const broch_status status = self->variables->value(self->host, variable, &value);
  return status == BROCH_OK ? self->tensors->copy_out(self->host, value, 0, to, size) : status;
}

/* Reads the values that were loaded from a checkpoint or initialized. */
static broch_status before_train(void* self_) {
  evolution* self = (evolution*)self_;
  const broch_status status = load(self, self->policy, self->parameters, sizeof self->parameters);
  return status == BROCH_OK
             ? load(self, self->generation, &self->generations, sizeof self->generations)
             : status;
}

static broch_status keep(evolution* self) {
  int64_t shape = PARAMETERS;
  const broch_dl_tensor policy = tensor_of(self->parameters, BROCH_DL_FLOAT, &shape);
  const broch_dl_tensor generation = tensor_of(&self->generations, BROCH_DL_INT, NULL);
  const broch_status status = self->variables->assign(self->host, self->policy, &policy);
  return status == BROCH_OK ? self->variables->assign(self->host, self->generation, &generation)
                            : status;
}

/* hooked: each generation is a hooked run, which callbacks see and global_step counts. */
static broch_status run_step(void* self_) {
  evolution* self = (evolution*)self_;
  broch_status status;
  evolve(self);
  status = keep(self);
  if (status == BROCH_OK && self->hooked) status = self->plans->run_empty(self->host, NULL);
  return status;
}

/* Called at the end of an epoch: the score of the current policy on starts that no generation
 * used. */
static broch_status trigger(void* self_) {
  evolution* self = (evolution*)self_;
  const double score = score_of(self, self->parameters, self->seed);
  const broch_status status = self->metrics->put_scalar(self->host, "score", score);
  if (status != BROCH_OK || score < self->enough) return status;
  return self->host->fail(self->host, BROCH_STOP, "the pole stays up");
}

static const broch_trainer trainer = {sizeof(broch_trainer), 0, setup_graph, run_step};
static const broch_callback callback = {sizeof(broch_callback),
                                        0,
                                        NULL,
                                        before_train,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL,
                                        trigger,
                                        NULL};

static const void* get_interface(void* self, const char* id) {
  (void)self;
  if (strcmp(id, BROCH_ROLE_TRAINER) == 0) return &trainer;
  return strcmp(id, BROCH_ROLE_CALLBACK) == 0 ? &callback : NULL;
}

static const broch_component_vtable vtable = {sizeof(broch_component_vtable), 0, create,
                                              get_interface, destroy};
static const broch_component components[] = {{"evolution.trainer", "trainer", &vtable}};

// clang-format off
BROCH_PLUGIN(components,
  "{\"components\": [{"
  "\"id\": \"evolution.trainer\", \"role\": \"trainer\", \"version\": \"1.0.0\","
  "\"summary\": \"Evolution strategies that learn to balance a pole on a cart.\","
  "\"options\": {\"type\": \"object\", \"properties\": {"
  "\"pairs\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 512, \"default\": 16,"
  " \"description\": \"policies tried in a generation, in pairs\"},"
  "\"episodes\": {\"type\": \"integer\", \"minimum\": 1, \"default\": 4,"
  " \"description\": \"that a policy is judged by\"},"
  "\"longest\": {\"type\": \"integer\", \"minimum\": 1, \"default\": 500,"
  " \"description\": \"pushes in an episode, 50 a second\"},"
  "\"deviation\": {\"type\": \"number\", \"exclusiveMinimum\": 0, \"default\": 0.3,"
  " \"description\": \"of a tried policy from the present one\"},"
  "\"learning_rate\": {\"type\": \"number\", \"exclusiveMinimum\": 0, \"default\": 0.3},"
  "\"enough\": {\"type\": \"number\", \"default\": 1e9,"
  " \"description\": \"a score that ends training\"},"
  "\"hooked\": {\"type\": \"boolean\", \"default\": true,"
  " \"description\": \"each generation is a hooked run; false: callbacks see steps, but no run\"}"
  "}, \"additionalProperties\": false}}]}")
// clang-format on
