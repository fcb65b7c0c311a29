// model.hpp: what is behind the handle libbroch_model.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "bundle/bundle.hpp"
#include "engine.hpp"
#include "graph/runner.hpp"
#include "libbroch.h"

// Sizes of an input or output as the interface describes them.
struct libbroch_port {
  std::string name;
  libbroch_info info{};
  std::vector<std::string> symbols;  // that info refers to
};

struct libbroch_model {
  std::shared_ptr<broch::lib::Engine> engine;
  broch::graph::Graph graph;
  broch::bundle::About about;
  broch::bundle::Files files;
  std::string runtime;
  std::unique_ptr<broch::graph::Runner> runner;
  std::vector<libbroch_port> inputs, outputs;
};
