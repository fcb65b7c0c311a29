// roles_test.cpp: what the roles that are none of data ask of a plugin, and make of its answers.
#include "abi/roles.hpp"

#include <doctest/doctest.h>

#include "roles_fixture.hpp"

using namespace broch;
using namespace broch::abi;
using broch::test::error_of;
using broch::test::kProbeCallback;
using broch::test::RolesFixture;

namespace {

broch_input_spec spec_of(const char* name, const std::vector<int64_t>& shape,
                         const char* const* dims = nullptr, broch_dtype dtype = BROCH_FLOAT32) {
  return {name, shape.data(), dims, static_cast<uint32_t>(shape.size()), dtype, 0, 0};
}

std::string refused(const broch_input_spec& input, const std::vector<InputSpec>& before = {}) {
  try {
    read_input_spec(input, before);
  } catch (const CallError& error) {
    return error.what();
  }
  return "";
}

broch_status no_tower(void*, broch_tower, const broch_tensor*, uint32_t, broch_tensor* cost) {
  *cost = 42;
  return BROCH_OK;
}

}  // namespace

TEST_CASE_FIXTURE(RolesFixture,
                  "roles: an instance that does not play a role is refused by its name") {
  playing(BROCH_ROLE_MONITOR, nullptr);
  CHECK_FALSE(State::plays(*instance));
  CHECK(error_of([&] { Monitor::make(*instance); })
            .find("4: callback 'p' (test.probe): get_interface(\"broch.monitor/1\") answered "
                  "NULL") == 0);
}

TEST_CASE_FIXTURE(RolesFixture,
                  "roles: a missing required entry is named, with role and instance") {
  broch_dataflow table{};
  table.struct_size = sizeof table;
  playing(BROCH_ROLE_DATAFLOW, &table);
  CHECK(error_of([&] {
          DataFlow::make(*instance);
        }).find("4: callback 'p' (test.probe): no open in its table broch.dataflow/1") == 0);
  table.open = [](void*, const void*, uint64_t) { return broch_status{BROCH_OK}; };
  CHECK(error_of([&] { DataFlow::make(*instance); }).find("no next in") != std::string::npos);
  table.next = [](void*, const broch_cancel*, broch_point) { return broch_status{BROCH_END}; };
  CHECK(DataFlow::make(*instance).next(nullptr, 0) == BROCH_END);
  table.struct_size = offsetof(broch_dataflow, next) + 7;
  CHECK(error_of([&] { DataFlow::make(*instance); }).find("no next in") != std::string::npos);
  table.struct_size = 0;
  CHECK(error_of([&] {
          DataFlow::make(*instance);
        }).find("its table broch.dataflow/1: struct_size 0, expected the size") !=
        std::string::npos);
}

TEST_CASE_FIXTURE(RolesFixture, "monitor: what it says of a queue is checked") {
  broch_monitor table{};
  table.struct_size = sizeof table;
  playing(BROCH_ROLE_MONITOR, &table);
  CHECK_FALSE(Monitor::make(*instance).queued());
  table.queued = 1;
  CHECK(Monitor::make(*instance).queued());
  table.struct_size = offsetof(broch_monitor, queued);
  CHECK_FALSE(Monitor::make(*instance).queued());
  table.struct_size = sizeof table;
  table.queued = 7;
  CHECK(
      error_of([&] { Monitor::make(*instance); })
          .find("4: callback 'p' (test.probe), its table broch.monitor/1: queued 7, reserved_2 0, "
                "expected 0 or 1, and 0") == 0);
  table.queued = 1;
  table.reserved_2 = 3;
  CHECK(error_of([&] { Monitor::make(*instance); }).find("reserved_2 3") != std::string::npos);
}

TEST_CASE_FIXTURE(RolesFixture, "queued events: trigger stands in for a missing trigger_epoch") {
  broch_callback table = kProbeCallback;
  table.trigger_epoch = nullptr;
  table.before_run = nullptr;
  table.after_run = nullptr;
  QueuedEvents events = QueuedEvents::make(playing(BROCH_ROLE_CALLBACK, &table));
  probe.calls.clear();
  CHECK(events.has(QueuedEvents::Event::trigger_epoch));
  events.call(QueuedEvents::Event::trigger_epoch);
  events.call(QueuedEvents::Event::before_epoch);
  CHECK(probe.calls == std::vector<std::string>{"trigger", "before_epoch"});
  table.trigger = nullptr;
  QueuedEvents without = QueuedEvents::make(*instance);
  CHECK_FALSE(without.has(QueuedEvents::Event::trigger_epoch));
}

TEST_CASE_FIXTURE(RolesFixture,
                  "queued events: entries within a step are refused, and so is a stop") {
  broch_callback table = kProbeCallback;
  table.before_run = nullptr;
  table.after_run = [](void*, broch_run) { return broch_status{BROCH_OK}; };
  playing(BROCH_ROLE_CALLBACK, &table);
  CHECK(
      error_of([&] { QueuedEvents::make(*instance); })
          .find("4: callback 'p' (test.probe), its table broch.callback/1: after_run, expected no "
                "such entry in a monitor with a queue") == 0);
  table.after_run = nullptr;
  QueuedEvents events = QueuedEvents::make(*instance);
  probe.on_hook = [](auto&) { return broch_status{BROCH_STOP}; };
  CHECK(error_of([&] {
          events.call(QueuedEvents::Event::after_epoch);
        }).find("violated the interface") != std::string::npos);
  probe.on_hook = nullptr;
}

TEST_CASE_FIXTURE(RolesFixture, "callback: trigger stands in for a missing trigger_epoch") {
  broch_callback table = kProbeCallback;
  table.trigger_epoch = nullptr;
  Callback callback = Callback::make(playing(BROCH_ROLE_CALLBACK, &table));
  probe.calls.clear();
  callback.trigger_epoch();
  CHECK(probe.calls == std::vector<std::string>{"trigger"});
}

TEST_CASE_FIXTURE(RolesFixture, "callback: UNIMPLEMENTED without a reason is a missing entry") {
  Callback callback = Callback::make(playing(BROCH_ROLE_CALLBACK, &kProbeCallback));
  probe.calls.clear();
  probe.on_hook = [](auto&) { return BROCH_E_UNIMPLEMENTED; };
  CHECK(callback.trigger_epoch() == BROCH_OK);
  CHECK(callback.before_epoch() == BROCH_OK);
  CHECK(probe.calls == std::vector<std::string>{"trigger_epoch", "trigger", "before_epoch"});
  probe.on_hook = [&](auto&) {
    return probe.host->fail(probe.host, BROCH_E_UNIMPLEMENTED, "no such plan node");
  };
  CHECK(error_of([&] { callback.before_epoch(); }).find("no such plan node") != std::string::npos);
  probe.on_hook = nullptr;
}

TEST_CASE("input spec: names, ranks, sizes, dtypes and dimensions are checked") {
  CHECK(refused(spec_of("image", {-1, 3, 0})) == "");
  CHECK(refused(spec_of("scalar", {})) == "");
  for (const char* name : {"", "a:b", "a/b", "a b", "\xff"})
    CHECK(refused(spec_of(name, {1})).find("a bad name, expected UTF-8, not empty") !=
          std::string::npos);
  CHECK(refused(spec_of(nullptr, {1})).find("a bad name") != std::string::npos);
  CHECK(refused(spec_of("x", {1, 1, 1, 1, 1, 1, 1, 1})) == "");
  CHECK(refused(spec_of("x", {1, 1, 1, 1, 1, 1, 1, 1, 1})) ==
        "input 'x': rank 9, expected at most 8");
  CHECK(refused(spec_of("x", {-2})).find("dimension -2") != std::string::npos);
  CHECK(refused(spec_of("x", {1}, nullptr, 0)).find("dtype 0") != std::string::npos);
  CHECK(refused(spec_of("x", {1}, nullptr, 13)).find("dtype 13") != std::string::npos);
  CHECK(refused({"x", nullptr, nullptr, 2, BROCH_INT64, 0, 0}).find("no shape") !=
        std::string::npos);
  CHECK(refused({"x", nullptr, nullptr, 0, BROCH_INT64, 0x12, 0}) ==
        "input 'x': unknown flags 0x12, expected 0; update Broch, or leave them out");
  CHECK(refused({"x", nullptr, nullptr, 0, BROCH_INT64, 0, 1}).find("unknown reserved bits 0x1") !=
        std::string::npos);

  const std::vector<InputSpec> before = {{"x", BROCH_FLOAT32, {4, -1}, {"B", "T"}}};
  const char* const batch[] = {"B"};
  CHECK(refused(spec_of("x", {1}), before).find("the name of an earlier input") !=
        std::string::npos);
  CHECK(refused(spec_of("y", {5}, batch), before) ==
        "input 'y': dimension \"B\" of size 5, expected 4 as in input 'x'");
  CHECK(refused(spec_of("y", {-1}, batch), before) == "");
  CHECK(refused(spec_of("y", {4}, batch), before) == "");
  const char* const latin[] = {"gr\xf6\xdf"};
  CHECK(refused(spec_of("y", {1}, latin)) ==
        "input 'y': a bad name of a dimension, expected UTF-8");
  const char* const square[] = {"S", "S"};
  CHECK(refused(spec_of("y", {2, 3}, square)).find("\"S\"") != std::string::npos);
}

TEST_CASE("input spec: as an array it says the same") {
  const std::vector<InputSpec> specs = {{"x", BROCH_FLOAT32, {-1, 8}, {"B", ""}},
                                        {"y", BROCH_INT64, {}, {}}};
  const SpecArray array(specs);
  REQUIRE(array.size() == 2);
  CHECK(array.data()[0].name == std::string("x"));
  CHECK(array.data()[0].shape[1] == 8);
  CHECK(array.data()[0].dims[0] == std::string("B"));
  CHECK(array.data()[0].dims[1] == nullptr);
  CHECK(array.data()[1].rank == 0);
  CHECK(array.data()[1].dtype == BROCH_INT64);
  const InputSpec back = read_input_spec(array.data()[0], {});
  CHECK(back.shape == specs[0].shape);
  CHECK(back.dims == specs[0].dims);
}

TEST_CASE_FIXTURE(RolesFixture, "model: its signature arrives whole or not at all") {
  static bool stubborn;
  broch_model table{};
  table.struct_size = sizeof table;
  table.tower = no_tower;
  table.inputs = [](void*, const broch_signature* signature) -> broch_status {
    const int64_t shape[] = {-1, 8};
    const char* const dims[] = {"B", nullptr};
    const broch_input_spec good = {"image", shape, dims, 2, BROCH_FLOAT32, 0, 0};
    signature->add(signature->context, &good);
    if (!stubborn) return BROCH_OK;
    signature->add(signature->context, &good);  // refused, and it goes on regardless
    return signature->add(signature->context, nullptr) < 0 ? broch_status{BROCH_OK} : 99;
  };
  Model model = Model::make(playing(BROCH_ROLE_MODEL, &table, "model"));
  stubborn = false;
  const std::vector<InputSpec> inputs = model.inputs();
  REQUIRE(inputs.size() == 1);
  CHECK(inputs[0].name == "image");
  CHECK(inputs[0].dims == std::vector<std::string>{"B", ""});
  stubborn = true;
  CHECK(error_of([&] { model.inputs(); }) ==
        "1: model 'p' (test.probe) failed in inputs: input 'image': the name of an earlier input, "
        "expected a name of its own");
  broch_tensor cost = 0;
  model.tower(0, nullptr, 0, [&cost](broch_tensor kept) { cost = kept; });
  CHECK(cost == 42);
  CHECK_FALSE(model.example(0));
  static broch_status answer;
  table.example = [](void*, broch_point) { return answer; };
  answer = BROCH_E_UNIMPLEMENTED;  // without a reason: as a NULL entry
  Model another = Model::make(playing(BROCH_ROLE_MODEL, &table, "another"));
  CHECK_FALSE(another.example(0));
  answer = BROCH_OK;
  CHECK(another.example(0));
  CHECK(model.optimizer() == "");
}

TEST_CASE_FIXTURE(RolesFixture, "model: the default optimizer is the text it wrote") {
  broch_model table{};
  table.struct_size = sizeof table;
  table.tower = no_tower;
  table.inputs = [](void*, const broch_signature*) { return broch_status{BROCH_OK}; };
  table.optimizer = [](void*, const broch_writer* writer) {
    writer->write(writer->context, "{\"use\": ", 8);
    writer->write(writer->context, nullptr, 0);
    return writer->write(writer->context, "\"adam\"}", 7);
  };
  CHECK(Model::make(playing(BROCH_ROLE_MODEL, &table)).optimizer() == "{\"use\": \"adam\"}");
}

TEST_CASE_FIXTURE(RolesFixture,
                  "trainer: a run_step that is not implemented is missing from then on") {
  broch_trainer table{};
  table.struct_size = sizeof table;
  table.setup_graph = [](void*) { return broch_status{BROCH_OK}; };
  table.run_step = [](void*) { return broch_status{BROCH_E_UNIMPLEMENTED}; };
  Trainer trainer = Trainer::make(playing(BROCH_ROLE_TRAINER, &table));
  CHECK(trainer.has_run_step());
  CHECK(trainer.run_step() == BROCH_NONE);
  CHECK_FALSE(trainer.has_run_step());
  table.run_step = [](void*) { return broch_status{BROCH_END}; };
  CHECK(Trainer::make(*instance).run_step() == BROCH_END);
}

TEST_CASE_FIXTURE(RolesFixture, "inferencer: fetches and results are collected in order") {
  broch_inferencer table{};
  table.struct_size = sizeof table;
  table.fetches = [](void*, const broch_names* names) {
    names->add(names->context, "cost");
    return names->add(names->context, "wrong");
  };
  table.on_fetches = [](void*, const broch_tensor* values, uint32_t n) {
    return n == 2 && values[1] == 0 ? broch_status{BROCH_OK} : broch_status{BROCH_E_INTERNAL};
  };
  table.after_inference = [](void*, const broch_scalars* scalars) {
    return scalars->add(scalars->context, "validation_cost", 0.25);
  };
  Inferencer inferencer = Inferencer::make(playing(BROCH_ROLE_INFERENCER, &table));
  CHECK(inferencer.fetches() == std::vector<std::string>{"cost", "wrong"});
  inferencer.before_inference();
  const broch_tensor values[] = {0, 0};
  inferencer.on_fetches(values);
  CHECK(inferencer.after_inference() ==
        std::vector<std::pair<std::string, double>>{{"validation_cost", 0.25}});
  table.fetches = [](void*, const broch_names* names) { return names->add(names->context, ""); };
  CHECK(error_of([&] { Inferencer::make(*instance).fetches(); }).find("the name is empty") !=
        std::string::npos);
}

TEST_CASE_FIXTURE(RolesFixture, "state: what was saved is loaded, a newer version is refused") {
  static std::string loaded;
  broch_plugin_state table{};
  table.struct_size = sizeof table;
  table.version = 2;
  table.save = [](void*, const broch_writer* writer) {
    return writer->write(writer->context, "a\0b", 3);
  };
  table.load = [](void*, uint32_t, const void* bytes, uint64_t size) {
    loaded.assign(static_cast<const char*>(bytes), size);
    return broch_status{BROCH_OK};
  };
  State state = State::make(playing(BROCH_PLUGIN_STATE, &table));
  const std::string bytes = state.save();
  CHECK(bytes == std::string("a\0b", 3));
  state.load(1, bytes);
  CHECK(loaded == bytes);
  const std::string error = error_of([&] { state.load(3, bytes); });
  CHECK(
      error.find("9: callback 'p' (test.probe): state in the checkpoint: version 3, expected 2 at "
                 "most") == 0);
}

TEST_CASE_FIXTURE(RolesFixture, "function: no value and stop are outcomes, others are not") {
  broch_function table{};
  table.struct_size = sizeof table;
  table.call = [](void*, const broch_function_args* args, double* result) -> broch_status {
    *result = args->value * 2;
    return static_cast<broch_status>(args->epoch_num);
  };
  Function function = Function::make(playing(BROCH_ROLE_FUNCTION, &table));
  broch_function_args args{sizeof args, 0, BROCH_OK, 0, 0, 4};
  double result = 0;
  CHECK(function.call(args, &result) == BROCH_OK);
  CHECK(result == 8);
  args.epoch_num = BROCH_NONE;
  CHECK(function.call(args, &result) == BROCH_NONE);
  args.epoch_num = BROCH_STOP;
  CHECK(function.call(args, &result) == BROCH_STOP);
  args.epoch_num = BROCH_END;
  CHECK(error_of([&] { function.call(args, &result); }).find("returned 1 from call") !=
        std::string::npos);
}
