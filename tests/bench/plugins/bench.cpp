// bench.cpp: what the benchmark adds to the program: its models, data, weights and turns.
#include "batches.hpp"
#include "convnet.hpp"
#include "gan.hpp"
#include "gpt.hpp"
#include "mlp.hpp"
#include "recsys.hpp"
#include "resnet.hpp"
#include "turns_callback.hpp"
#include "weights.hpp"

namespace {

using namespace broch::bench;

constexpr broch_component kComponents[] = {
    broch::component<Mlp>("bench.mlp", "model"),
    broch::component<Convnet>("bench.convnet", "model"),
    broch::component<Resnet>("bench.resnet20", "model"),
    broch::component<Gpt>("bench.gpt", "model"),
    broch::component<Gan>("bench.gan", "model"),
    broch::component<Recsys>("bench.recsys", "model"),
    broch::component<Batches>("bench.batches", "dataflow"),
    broch::component<Weights>("bench.weights", "session_init"),
    broch::component<TurnsCallback>("bench.turns", "callback")};

}  // namespace

BROCH_PLUGIN(kComponents, R"({"components": [
{ "id": "bench.mlp", "role": "model", "version": "1.0.0",
  "summary": "Fully connected layers with relu between them.",
  "options": {"type": "object", "required": ["sizes"], "additionalProperties": false,
              "properties": {
    "sizes": {"type": "array", "minItems": 2, "items": {"type": "integer"},
              "description": "Of the input and of each layer's output."}}}},
{ "id": "bench.convnet", "role": "model", "version": "1.0.0",
  "summary": "Two convolutions and a fully connected layer.",
  "options": {"type": "object", "required": ["side", "padding"], "additionalProperties": false,
              "properties": {
    "side": {"type": "integer", "description": "Of the square pictures."},
    "padding": {"type": "integer", "description": "Of the convolutions."}}}},
{ "id": "bench.resnet20", "role": "model", "version": "1.0.0",
  "summary": "A residual network of 20 layers.",
  "options": {"type": "object", "additionalProperties": false, "properties": {}}},
{ "id": "bench.gpt", "role": "model", "version": "1.0.0",
  "summary": "A decoder-only transformer.",
  "options": {"type": "object", "required": ["layers", "width"], "additionalProperties": false,
              "properties": {
    "layers": {"type": "integer", "description": "Blocks."},
    "width": {"type": "integer", "description": "Of the stream between the blocks."},
    "heads": {"type": "integer", "default": 4, "description": "Of the attention."},
    "context": {"type": "integer", "default": 64, "description": "Tokens of a row."},
    "vocabulary": {"type": "integer", "default": 96, "description": "Different tokens."}}}},
{ "id": "bench.gan", "role": "model", "version": "1.0.0",
  "summary": "A generator and a discriminator of pictures.",
  "options": {"type": "object", "additionalProperties": false, "properties": {
    "width": {"type": "integer", "default": 32, "description": "Channels of the widest layers."}}}},
{ "id": "bench.recsys", "role": "model", "version": "1.0.0",
  "summary": "Embedding tables and fully connected layers.",
  "options": {"type": "object", "additionalProperties": false, "properties": {
    "tables": {"type": "integer", "default": 26, "description": "Categorical features."},
    "rows": {"type": "integer", "default": 100000, "description": "Of each table."},
    "width": {"type": "integer", "default": 16, "description": "Of a row."},
    "dense": {"type": "integer", "default": 13, "description": "Dense features."}}}},
{ "id": "bench.batches", "role": "dataflow", "version": "1.0.0",
  "summary": "64 batches made by formula, again and again.",
  "options": {"type": "object", "required": ["components"], "additionalProperties": false,
              "properties": {
    "components": {"type": "array", "items": {
      "type": "object", "required": ["name", "shape"], "additionalProperties": false,
      "properties": {
        "name": {"type": "string", "description": "Of the input; seed of its values."},
        "shape": {"type": "array", "items": {"type": "integer"}, "description": "Of a batch."},
        "classes": {"type": "integer", "default": 0,
                    "description": "The values are integers below it; 0: real numbers."},
        "period": {"type": "integer", "minimum": 1, "default": 64,
                   "description": "Batches after which the values repeat."}}}}}}},
{ "id": "bench.weights", "role": "session_init", "version": "1.0.0",
  "summary": "Initial weights made by formula.",
  "options": {"type": "object", "additionalProperties": false, "properties": {}}},
{ "id": "bench.turns", "role": "callback", "version": "1.0.0",
  "summary": "Trains blocks of steps on demand of standard input.",
  "options": {"type": "object", "additionalProperties": false, "properties": {}}}
]})")
