// memory.cpp: a callback that says in each epoch how many bytes the process occupies; and a model
// of two layers for batches of any size.
#include <malloc.h>
#include <unistd.h>

#include <broch/broch.hpp>
#include <fstream>

namespace {

class Memory final : public broch::Callback {
 public:
  explicit Memory(const broch::Host& host) : host_(host) {}
  void trigger_epoch() override {
    malloc_trim(0);  // what is free in between is no growth
    long whole = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> whole >> resident;
    host_.info("resident bytes: " + std::to_string(resident * sysconf(_SC_PAGESIZE)));
  }

 private:
  broch::Host host_;
};

class Rows final : public broch::Model {
 public:
  explicit Rows(const broch::Host& host)
      : Model(host), columns_(broch::Config(host).integer("/columns")) {}
  std::vector<broch::Input> inputs() override {
    return {{"x", BROCH_FLOAT32, {-1, columns_}, {"B", ""}}};
  }
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    const broch::Init noise = broch::Init::uniform(-0.5, 0.5);
    const broch::Tensor w = t.variable("W", {columns_, columns_}, noise).value;
    const broch::Tensor b = t.variable("b", {columns_}, noise).value;
    broch::Tensor x = inputs[0];
    for (const char* name : {"first", "second", "third", "fourth"})
      x = t.publish(name, t.ops().relu(t.ops().linear(x, w, b)));
    return t.publish("cost", t.ops().mean(t.ops().square(x)));
  }

 private:
  int64_t columns_;
};

constexpr broch_component kComponents[] = {broch::component<Memory>("recorded.memory", "callback"),
                                           broch::component<Rows>("recorded.rows", "model")};

}  // namespace

BROCH_PLUGIN(kComponents, R"({"components": [
  {"id": "recorded.memory", "role": "callback", "version": "1.0.0",
   "summary": "Logs how many bytes are resident.",
   "options": {"type": "object", "additionalProperties": false}},
  {"id": "recorded.rows", "role": "model", "version": "1.0.0",
   "summary": "Two layers for batches of any size.",
   "options": {"type": "object", "additionalProperties": false,
               "properties": {"columns": {"type": "integer", "minimum": 1, "default": 4}}}}]})")
