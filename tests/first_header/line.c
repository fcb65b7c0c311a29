/* line.c: a model, a dataflow and a callback as somebody wrote them when the interface was new.
 * They are compiled with the headers beside them and nothing newer.
 *
 * The model fits y = x w, x (4, 2) and w (1, 2), to the point's own line; the dataflow yields 6
 * points with cursors; the callback counts steps, which it keeps across restarts, and puts their
 * number. */
#include <broch/broch.h>
#include <broch/opset.h>
#include <stdio.h>
#include <stdlib.h>

#if BROCH_OPSET_1_COUNT != 245
#error "these are not the first headers"
#endif

static const void* need(const broch_host* host, const char* id) {
  const void* table = host->get_extension(host, id);
  if (table == NULL) host->fail(host, BROCH_E_UNIMPLEMENTED, id);
  return table;
}

/* The model. */

typedef struct line {
  const broch_host* host;
  broch_opset ops;
  const broch_host_tower* tower;
  const broch_host_variables* variables;
} line;

static broch_status line_create(const broch_host* host, const char* options, void** self) {
  line* made = (line*)calloc(1, sizeof *made);
  (void)options;
  if (made == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  made->host = host;
  made->tower = (const broch_host_tower*)need(host, BROCH_EXT_TOWER);
  made->variables = (const broch_host_variables*)need(host, BROCH_EXT_VARIABLES);
  if (!made->tower || !made->variables || broch_opset_init(&made->ops, host) < 0) {
    free(made);
    return BROCH_E_UNIMPLEMENTED;
  }
  *self = made;
  return BROCH_OK;
}

static broch_status line_inputs(void* self, const broch_signature* signature) {
  static const int64_t x_shape[] = {4, 2}, y_shape[] = {4, 1};
  static const broch_input_spec x = {"x", x_shape, NULL, 2, BROCH_FLOAT32, 0, 0};
  static const broch_input_spec y = {"y", y_shape, NULL, 2, BROCH_FLOAT32, 0, 0};
  const broch_status status = signature->add(signature->context, &x);
  (void)self;
  return status < 0 ? status : signature->add(signature->context, &y);
}

static broch_status line_tower(void* me, broch_tower tower, const broch_tensor* inputs, uint32_t n,
                               broch_tensor* cost) {
  static const int64_t shape[] = {1, 2};
  line* self = (line*)me;
  broch_opset* ops = &self->ops;
  const broch_variable_spec spec = {.struct_size = sizeof spec,
                                    .dtype = BROCH_FLOAT32,
                                    .rank = 2,
                                    .shape = shape,
                                    .flags = BROCH_VARIABLE_TRAINABLE,
                                    .initializer = BROCH_INIT_CONSTANT,
                                    .a = 0.5};
  broch_variable variable = 0;
  broch_tensor w = 0, miss = 0;
  broch_status status = self->variables->get(self->host, tower, "w", &spec, &variable, &w);
  (void)n;
  if (status < 0) return status;
  miss = broch_op_sub(ops, broch_op_linear(ops, inputs[0], w, 0), inputs[1], broch_int(1));
  miss = broch_op_mean(ops, broch_op_square(ops, miss), 0);
  status = broch_opset_status(ops);
  return status < 0 ? status : self->tower->publish(self->host, tower, "cost", miss, cost);
}

static broch_status line_optimizer(void* self, const broch_writer* entry) {
  static const char text[] = "{\"use\": \"sgd\", \"with\": {\"learning_rate\": 0.1}}";
  (void)self;
  return entry->write(entry->context, text, sizeof text - 1);
}

static const broch_model line_model = {sizeof(broch_model), 0,    line_inputs,
                                       line_tower,          NULL, line_optimizer};

/* The dataflow. */

typedef struct points {
  const broch_host* host;
  const broch_host_data_point* data;
  int64_t next;
} points;

static broch_status points_create(const broch_host* host, const char* options, void** self) {
  points* made = (points*)calloc(1, sizeof *made);
  (void)options;
  if (made == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  made->host = host;
  made->data = (const broch_host_data_point*)need(host, BROCH_EXT_DATA_POINT);
  if (!made->data) {
    free(made);
    return BROCH_E_UNIMPLEMENTED;
  }
  *self = made;
  return BROCH_OK;
}

static broch_status points_open(void* me, const void* cursor, uint64_t size) {
  points* self = (points*)me;
  self->next = 0;
  if (size == 0) return BROCH_OK;
  if (size != sizeof self->next) return self->host->fail(self->host, BROCH_E_DATA_LOSS, "cursor");
  memcpy(&self->next, cursor, sizeof self->next);
  return BROCH_OK;
}

static broch_status points_next(void* me, const broch_cancel* cancel, broch_point point) {
  points* self = (points*)me;
  float x[8], y[4];
  int64_t x_shape[] = {4, 2}, y_shape[] = {4, 1}, i;
  broch_dl_tensor tensor;
  broch_status status;
  (void)cancel;
  if (self->next == 6) return BROCH_END;
  for (i = 0; i < 8; ++i) x[i] = (float)((self->next * 8 + i * 3) % 7) / 4;
  for (i = 0; i < 4; ++i) y[i] = 2 * x[2 * i] - x[2 * i + 1];
  memset(&tensor, 0, sizeof tensor);
  tensor.data = x;
  tensor.device.device_type = BROCH_DL_CPU;
  tensor.ndim = 2;
  tensor.dtype.code = BROCH_DL_FLOAT;
  tensor.dtype.bits = 32;
  tensor.dtype.lanes = 1;
  tensor.shape = x_shape;
  status = self->data->add_copy(self->host, point, NULL, &tensor);
  tensor.data = y;
  tensor.shape = y_shape;
  if (status >= 0) status = self->data->add_copy(self->host, point, NULL, &tensor);
  ++self->next;
  return status < 0 ? status
                    : self->data->set_cursor(self->host, point, &self->next, sizeof self->next);
}

static broch_status points_size(void* self, int64_t* size) {
  (void)self;
  *size = 6;
  return BROCH_OK;
}

static const broch_dataflow points_flow = {.struct_size = sizeof points_flow,
                                           .open = points_open,
                                           .next = points_next,
                                           .size = points_size};

/* The callback. */

typedef struct counter {
  const broch_host* host;
  const broch_host_progress* run;
  const broch_host_metrics* metrics;
  uint32_t cost;
  int64_t steps;
} counter;

static broch_status counter_create(const broch_host* host, const char* options, void** self) {
  counter* made = (counter*)calloc(1, sizeof *made);
  (void)options;
  if (made == NULL) return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  made->host = host;
  made->run = (const broch_host_progress*)need(host, BROCH_EXT_PROGRESS);
  made->metrics = (const broch_host_metrics*)need(host, BROCH_EXT_METRICS);
  if (!made->run || !made->metrics) {
    free(made);
    return BROCH_E_UNIMPLEMENTED;
  }
  *self = made;
  return BROCH_OK;
}

static broch_status counter_setup(void* me) {
  counter* self = (counter*)me;
  return self->run->fetch(self->host, "cost", &self->cost);
}

static broch_status counter_after_run(void* me, broch_run run) {
  counter* self = (counter*)me;
  double cost = 0;
  const broch_status status = self->run->scalar(self->host, run, self->cost, &cost);
  if (status != BROCH_OK) return status < 0 ? status : BROCH_E_INTERNAL;
  return self->metrics->put_scalar(self->host, "line_cost", cost);
}

static broch_status counter_step(void* me) {
  counter* self = (counter*)me;
  return self->metrics->put_scalar(self->host, "steps", (double)++self->steps);
}

static broch_status counter_save(void* me, const broch_writer* writer) {
  counter* self = (counter*)me;
  return writer->write(writer->context, &self->steps, sizeof self->steps);
}

static broch_status counter_load(void* me, uint32_t version, const void* bytes, uint64_t size) {
  counter* self = (counter*)me;
  if (version != 1 || size != sizeof self->steps)
    return self->host->fail(self->host, BROCH_E_DATA_LOSS, "steps");
  memcpy(&self->steps, bytes, sizeof self->steps);
  return BROCH_OK;
}

static const broch_callback counter_callback = {.struct_size = sizeof counter_callback,
                                                .setup_graph = counter_setup,
                                                .after_run = counter_after_run,
                                                .trigger_step = counter_step};
static const broch_plugin_state counter_state = {sizeof(broch_plugin_state), 1, counter_save,
                                                 counter_load};

static const void* line_interface(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_MODEL) == 0 ? &line_model : NULL;
}
static const void* points_interface(void* self, const char* id) {
  (void)self;
  return strcmp(id, BROCH_ROLE_DATAFLOW) == 0 ? &points_flow : NULL;
}
static const void* counter_interface(void* self, const char* id) {
  (void)self;
  if (strcmp(id, BROCH_ROLE_CALLBACK) == 0) return &counter_callback;
  return strcmp(id, BROCH_PLUGIN_STATE) == 0 ? &counter_state : NULL;
}

static const broch_component_vtable line_vtable = {sizeof(broch_component_vtable), 0, line_create,
                                                   line_interface, free};
static const broch_component_vtable points_vtable = {sizeof(broch_component_vtable), 0,
                                                     points_create, points_interface, free};
static const broch_component_vtable counter_vtable = {sizeof(broch_component_vtable), 0,
                                                      counter_create, counter_interface, free};

static const broch_component components[] = {{"org.example.line", "model", &line_vtable},
                                             {"org.example.points", "dataflow", &points_vtable},
                                             {"org.example.counter", "callback", &counter_vtable}};

#define NOTHING \
  "\"options\": {\"type\": \"object\", \"properties\": {}, \"additionalProperties\": false}"

BROCH_PLUGIN(components,
             "{\"components\": ["
             "{\"id\": \"org.example.line\", \"role\": \"model\", \"version\": \"1.0.0\","
             " \"summary\": \"Fits a line.\", " NOTHING
             "}, "
             "{\"id\": \"org.example.points\", \"role\": \"dataflow\", \"version\": \"1.0.0\","
             " \"summary\": \"Six points of a line.\", " NOTHING
             "}, "
             "{\"id\": \"org.example.counter\", \"role\": \"callback\", \"version\": \"1.0.0\","
             " \"summary\": \"Counts steps.\", \"produces\": [\"steps\", \"line_cost\"], " NOTHING
             "}]}")
