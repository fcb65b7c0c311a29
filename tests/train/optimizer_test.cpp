#include <doctest/doctest.h>

#include "optimizer/gradient_processor.hpp"
#include "optimizer/optimizer_spec.hpp"
#include "optimizer/preconditions.hpp"
#include "rig.hpp"

using namespace broch;
using runtime::Rule;

namespace {

optimizer::Entry entry_of(const std::string& text) {
  return optimizer::parse_entry(text, "run.json");
}

// What is said of an entry that lies at this pointer of its file.
std::string refused(const std::string& text, const std::string& pointer = "") {
  const value::Value whole = entry_of(text).value;
  try {
    optimizer::check_optimizer({*value::find_at(whole, pointer), pointer});
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

double number(const optimizer::OptimizerSpec& spec, const std::string& name) {
  for (const auto& [key, value] : spec.numbers)
    if (key == name) return value;
  return -1;
}

}  // namespace

TEST_CASE("optimizer: missing numbers are torch's") {
  const optimizer::OptimizerSpec adam = optimizer::read_optimizer(entry_of(R"({"use": "adam"})"));
  CHECK(adam.settings.rule == Rule::adam);
  CHECK(number(adam, "learning_rate") == 1e-3);
  CHECK(number(adam, "beta1") == 0.9);
  CHECK(number(adam, "beta2") == 0.999);
  CHECK(number(adam, "eps") == 1e-8);
  CHECK(number(adam, "weight_decay") == 0);
  const optimizer::OptimizerSpec adamw = optimizer::read_optimizer(
      entry_of(R"({"use": "broch.optimizer.adamw", "with": {"beta1": 0.5}})"));
  CHECK(number(adamw, "weight_decay") == 1e-2);
  CHECK(number(adamw, "beta1") == 0.5);
}

TEST_CASE("optimizer: an entry that is wrong is refused by the option") {
  CHECK(refused(R"({"use": "sgd"})").find("learning_rate") != std::string::npos);
  CHECK(refused(R"({"use": "sgd", "with": {"learning_rate": -1}})").find("-1") !=
        std::string::npos);
  CHECK(refused(R"({"use": "adam", "with": {"beta1": 1}})").find("less than 1") !=
        std::string::npos);
  CHECK(refused(R"({"use": "adam", "with": {"bata1": 0.5}})").find("did you mean 'beta1'?") !=
        std::string::npos);
  CHECK(refused(R"({"use": "momentum", "with": {"learning_rate": 1, "dampening": 0.5,
                    "nesterov": true}})")
            .find("nesterov") != std::string::npos);
  CHECK(refused(R"({"use": "adam", "with": {"rule": "tf1", "amsgrad": true}})").find("amsgrad") !=
        std::string::npos);
  CHECK(refused(R"({"use": "accum-grad", "with": {"niter": 2, "optimizer": {
                    "use": "apply-grad-processors", "with": {"optimizer": "adam",
                    "gradient_processors": [{"use": "print-gradient", "with": {"regex": "("}}]}}}})")
            .find("regular expression") != std::string::npos);
  CHECK(refused("3").starts_with("run.json:1:1: 3, expected an object of options\n"));
}

TEST_CASE("optimizer: what is wrong is told with its line and its place in the file") {
  const std::string inner = R"({"optimizer": {"use": "accum-grad", "with": {
    "niter": 2,
    "optimizer": {"use": "adam", "with": {
      "beta1": 1}}}}})";
  const std::string refusal = refused(inner, "/optimizer");
  CAPTURE(refusal);
  CHECK(
      refusal.starts_with("run.json:4:16: /optimizer/with/optimizer/with/beta1: 1, "
                          "expected at least 0 and less than 1"));
  CHECK(refusal.find("\n    4 |       \"beta1\": 1}}}}}\n") != std::string::npos);
  const std::string processors = R"({"optimizer": {"use": "apply-grad-processors", "with": {
    "gradient_processors": ["filter-none-grad",
      {"use": "print-gradient", "with": {"regex": "("}}],
    "optimizer": "adam"}}})";
  const std::string pattern = refused(processors, "/optimizer");
  CAPTURE(pattern);
  CHECK(
      pattern.starts_with("run.json:3:51: /optimizer/with/gradient_processors/1/with/regex: "
                          "'(', expected an ECMAScript regular expression"));
}

TEST_CASE("optimizer: slots and hyper-parameters are variables with plain names") {
  test::Rig rig;
  rig.parts.optimizer = entry_of(R"({"use": "adam"})");
  rig.train(3, 1);
  for (const char* name : {"w/exp_avg", "w/exp_avg_sq", "learning_rate", "beta1", "eps"})
    CHECK(rig.store->find(name) != nullptr);
  CHECK(!rig.store->at("w/exp_avg").trainable());
  CHECK(!rig.store->at("w/exp_avg").local());
  CHECK(rig.variable("w/step") == 3);
  CHECK(rig.hypers->get("learning_rate") == 1e-3);
}

TEST_CASE("optimizer: its variables are there for callbacks, and the trainer is told so") {
  test::Rig rig;
  rig.model.optimizer = R"({"use": "adam"})";
  const auto find = [](test::Component& of, const char* name) {
    const auto* variables = test::extension<broch_host_variables>(of.host, BROCH_EXT_VARIABLES);
    broch_variable found = 0;
    const broch_status status = variables->find(of.host, name, &found);
    return status == BROCH_OK ? "" : std::string(of.host->last_error(of.host));
  };
  std::string of_tower, early, late, misspelt;
  rig.trainer.setup = [&] {
    const broch_status status = rig.trainer.default_setup();
    of_tower = find(rig.trainer, "w");
    early = find(rig.trainer, "w/exp_avg");
    return status;
  };
  test::Callback callback;
  callback.setup_graph = [&] {
    late = find(callback, "w/exp_avg");
    misspelt = find(callback, "w/exp_awg");
    return broch_status{BROCH_OK};
  };
  rig.add(callback, "callback");
  rig.prepare();
  CHECK(of_tower == "");
  CHECK(early.find("optimizers are there for setup_graph of callbacks") != std::string::npos);
  CHECK(late == "");
  CHECK(misspelt.find("did you mean 'w/exp_avg'?") != std::string::npos);
  CHECK(misspelt.find("`broch plan` lists them") != std::string::npos);
}

TEST_CASE("optimizer: different rules in one run carry their node's name") {
  test::Rig rig;
  rig.model.body = [&](broch_tower tower, broch_tensor) {
    broch_tensor value = 0;
    rig.model.variable(tower, "v", 1, BROCH_VARIABLE_TRAINABLE, &value);
  };
  rig.trainer.setup = [&] {
    test::Trainer& trainer = rig.trainer;
    trainer.plans()->create(trainer.host, "main", &trainer.plan);
    const broch_node input = trainer.add("broch.plan.input/1", {});
    const broch_node tower = trainer.add("broch.plan.tower/1", {input});
    const broch_node v = trainer.add("broch.plan.gradients/1", {tower}, R"({"variables": "v"})");
    const broch_node w = trainer.add("broch.plan.gradients/1", {tower}, R"({"variables": "w"})");
    trainer.add("broch.plan.apply/1", {v}, R"({"name": "critic", "optimizer": {"use": "adam"}})");
    trainer.add("broch.plan.apply/1", {w}, R"({"name": "actor"})");
    return trainer.plans()->seal(trainer.host, trainer.plan);
  };
  rig.train(1, 1);
  CHECK(rig.hypers->get("critic/learning_rate") == 1e-3);
  CHECK(rig.hypers->get("actor/learning_rate") == 0.1);
  CHECK(rig.store->find("v/exp_avg"));
  CHECK(!rig.store->find("w/exp_avg"));
}

TEST_CASE("optimizer: the same rule in two nodes is one optimizer") {
  test::Rig rig;
  rig.parts.optimizer = entry_of(R"({"use": "adam"})");
  rig.trainer.setup = [&] {
    test::Trainer& trainer = rig.trainer;
    trainer.plans()->create(trainer.host, "main", &trainer.plan);
    const broch_node input = trainer.add("broch.plan.input/1", {}, R"({"towers": [0, 1]})");
    for (const char* options : {R"({"name": "tower0", "index": 0, "total": 2})",
                                R"({"name": "tower1", "index": 1, "total": 2})"}) {
      const broch_node tower = trainer.add("broch.plan.tower/1", {input}, options);
      trainer.add("broch.plan.apply/1", {trainer.add("broch.plan.gradients/1", {tower})});
    }
    return trainer.plans()->seal(trainer.host, trainer.plan);
  };
  rig.train(3, 1);
  CHECK(rig.variable("w/step") == 6);
  CHECK(rig.hypers->has("learning_rate"));
}

TEST_CASE("optimizer: two rules over the same variables remember by themselves") {
  test::Rig rig;
  rig.trainer.setup = [&] {
    test::Trainer& trainer = rig.trainer;
    trainer.plans()->create(trainer.host, "main", &trainer.plan);
    const broch_node tower =
        trainer.add("broch.plan.tower/1", {trainer.add("broch.plan.input/1", {})});
    const broch_node gradients = trainer.add("broch.plan.gradients/1", {tower});
    for (const char* options :
         {R"({"name": "hard", "optimizer": {"use": "adam"}})",
          R"({"name": "soft", "optimizer": {"use": "adam", "with": {"beta1": 0.5}}})",
          R"({"name": "rare", "optimizer": {"use": "accum-grad", "with": {"niter": 2,
              "optimizer": {"use": "momentum", "with": {"learning_rate": 1}}}}})"})
      trainer.add("broch.plan.apply/1", {gradients}, options);
    return trainer.plans()->seal(trainer.host, trainer.plan);
  };
  rig.train(3, 1);
  CHECK(rig.variable("w/step") == 3);
  CHECK(rig.variable("w/soft/step") == 3);
  CHECK(rig.store->find("w/exp_avg"));
  CHECK(rig.store->find("w/soft/exp_avg"));
  CHECK(rig.variable("w/rare/accum_step") == 1);
  CHECK(rig.store->find("w/rare/momentum_buffer"));
  CHECK(!rig.store->find("w/momentum_buffer"));
}

TEST_CASE("optimizer: what processors inside of accum-grad leave out has a sum, but no slots") {
  test::Rig rig;
  rig.model.body = [&](broch_tower tower, broch_tensor) {
    broch_tensor value = 0;
    rig.model.variable(tower, "v", 1, BROCH_VARIABLE_TRAINABLE, &value);
  };
  rig.parts.optimizer = entry_of(R"({"use": "accum-grad", "with": {"niter": 2, "optimizer": {
      "use": "apply-grad-processors", "with": {"optimizer": "adam", "gradient_processors": [
        {"use": "scale-gradient", "with": {"multipliers": [["v", 0]]}}]}}}})");
  rig.train(3, 1);
  CHECK(rig.variable("w/step") == 1);
  CHECK(rig.variable("w/accum_step") == 1);
  CHECK(rig.variable("v/accum_step") == 1);
  CHECK(rig.store->find("v/accum_grad"));
  CHECK(rig.store->find("w/exp_avg"));
  CHECK(!rig.store->find("v/exp_avg"));
}

TEST_CASE("gradient processor: global-norm-clip takes a positive norm and keeps the list") {
  test::Rig rig;
  rig.parts.processors = {entry_of(R"({"use": "global-norm-clip", "with": {"global_norm": 5}})")};
  rig.trainer.setup = [&] {
    test::Trainer& trainer = rig.trainer;
    trainer.plans()->create(trainer.host, "main", &trainer.plan);
    const broch_node input = trainer.add("broch.plan.input/1", {});
    const broch_node tower = trainer.add("broch.plan.tower/1", {input});
    const broch_node gradients = trainer.add("broch.plan.gradients/1", {tower});
    trainer.add("broch.plan.apply/1", {trainer.add("broch.plan.process/1", {gradients})});
    return trainer.plans()->seal(trainer.host, trainer.plan);
  };
  CHECK(rig.train(1, 1) == base::Exit::ok);
  for (const char* entry : {R"({"use": "global-norm-clip", "with": {"global_norm": 0}})",
                            R"({"use": "global-norm-clip"})", R"("global-norm-clap")"})
    CHECK_THROWS_AS(optimizer::make_processor({*rig.backend}, entry_of(entry)), base::Error);
}
