// instance_test.cpp: the life of an instance and the host table it gets.
#include "abi/instance.hpp"

#include <doctest/doctest.h>

#include <new>

#include "abi/inspection.hpp"
#include "base/log.hpp"
#include "broch/ext/config.h"
#include "cautious.h"
#include "probe.hpp"
#include "value/json.hpp"

using namespace broch;
using namespace broch::abi;
using broch::test::error_of;
using broch::test::kProbeVtable;
using broch::test::Probe;
using broch::test::World;

namespace {

InstanceSpec named(const std::string& name) {
  InstanceSpec spec;
  spec.name = name;
  return spec;
}

InstanceSpec cautious(const broch_component_vtable& vtable, uint32_t host_table_size) {
  InstanceSpec spec;
  spec.name = "careful";
  spec.component_id = "broch.callback.cautious";
  spec.vtable = &vtable;
  spec.host_table_size = host_table_size;
  return spec;
}

}  // namespace

TEST_CASE("instance: a child is created before its parent and destroyed after it") {
  World world;
  std::vector<std::string> order;
  Probe child_probe, parent_probe;
  child_probe.on_create = [&] {
    order.push_back("create child");
    return BROCH_OK;
  };
  parent_probe.on_create = [&] {
    order.push_back("create parent");
    return BROCH_OK;
  };
  child_probe.on_destroy = [&] { order.push_back("destroy child"); };
  parent_probe.on_destroy = [&] { order.push_back("destroy parent"); };
  std::vector<Instance::Child> children(1);
  children[0].pointer = "/callback";
  children[0].owned = world.make(child_probe, "child");
  world.make(parent_probe, named("parent"), std::move(children)).reset();
  CHECK(order == std::vector<std::string>{"create child", "create parent", "destroy parent",
                                          "destroy child"});
}

TEST_CASE("instance: a create that fails ends in exit code 4 and no destroy") {
  World world;
  Probe child_probe, probe;
  probe.on_create = [&] { return probe.host->fail(probe.host, BROCH_E_NOT_FOUND, "no such file"); };
  std::vector<Instance::Child> children(1);
  children[0].owned = world.make(child_probe, "child");
  CHECK(error_of([&] { world.make(probe, named("x"), std::move(children)); }) ==
        "4: callback 'x' (test.probe) failed in create: no such file");
  CHECK_FALSE(probe.destroyed);
  CHECK(child_probe.destroyed);
  CHECK(Instance::of(probe.host) == nullptr);
  probe.on_create = []() -> broch_status { throw 1; };
  CHECK(error_of([&] { world.make(probe, "x"); }).find("4: ") == 0);
  probe.on_create = [] { return 2; };
  CHECK(error_of([&] { world.make(probe, "x"); }).find("expected 0 or a failure") !=
        std::string::npos);
}

TEST_CASE("instance: a create that cannot read the file of an option ends in exit code 5") {
  World world;
  Probe probe;
  const auto error = [&](broch_status status) {
    probe.on_create = [&] { return probe.host->fail(probe.host, status, "/file: no such file"); };
    InstanceSpec spec = named("x");
    spec.options = value::parse_text("options", R"({"file": "model.pt2"})");
    return error_of([&] { world.make(probe, std::move(spec)); }).substr(0, 2);
  };
  CHECK(error(BROCH_E_NOT_FOUND) == "5:");
  CHECK(error(BROCH_E_DATA_LOSS) == "5:");
  CHECK(error(BROCH_E_INVALID_ARGUMENT) == "3:");
  CHECK(error(BROCH_E_INTERNAL) == "4:");
}

TEST_CASE("instance: a component table that is cut or has holes is refused by entry") {
  World world;
  Probe probe;
  InstanceSpec spec = named("x");
  broch_component_vtable vtable = kProbeVtable;
  vtable.struct_size = offsetof(broch_component_vtable, destroy) + 4;  // cut in the middle
  spec.vtable = &vtable;
  CHECK(error_of([&] { world.make(probe, spec); }).find("no destroy, expected create") !=
        std::string::npos);
  vtable = kProbeVtable;
  vtable.create = nullptr;
  CHECK(error_of([&] { world.make(probe, spec); }).find("4: callback 'x'") == 0);
  vtable.struct_size = 0;
  CHECK(error_of([&] { world.make(probe, spec); }).find("no create get_interface destroy") !=
        std::string::npos);
}

TEST_CASE("instance: an exception from destroy does not come through") {
  World world;
  Probe probe;
  auto instance = world.make(probe, "x");
  probe.on_destroy = [] { throw 1; };
  base::set_log_level(base::Level::misbehavior);
  instance.reset();
  base::set_log_level(base::Level::info);
  CHECK(probe.destroyed);
}

TEST_CASE("instance: a reason that is given in destroy is logged") {
  static int lines;
  for (const bool fails : {false, true}) {
    World world;
    Probe probe;
    auto instance = world.make(probe, "x");
    probe.on_destroy = [&] {
      if (fails) probe.host->fail(probe.host, BROCH_E_UNKNOWN, "panicked at lib.rs:3: dropped");
    };
    lines = 0;
    base::set_log_interlude([] { ++lines; }, nullptr);
    instance.reset();
    base::set_log_interlude(nullptr, nullptr);
    CHECK(lines == int{fails});
    CHECK(probe.destroyed);
  }
}

TEST_CASE("instance: an interface is asked for once, also when it is not there") {
  World world;
  Probe probe;
  const auto instance = world.make(probe, "x");
  CHECK(instance->get_interface(BROCH_ROLE_CALLBACK).table == probe.tables[BROCH_ROLE_CALLBACK]);
  CHECK(instance->get_interface(BROCH_ROLE_CALLBACK).self == &probe);
  CHECK_FALSE(instance->get_interface("org.example.none/1"));
  CHECK_FALSE(instance->get_interface("org.example.none/1"));
  CHECK(probe.calls.size() == 2);
}

TEST_CASE("instance: NULL for an interface is a failure if there is a reason") {
  World world;
  Probe probe;
  InstanceSpec spec = named("x");
  broch_component_vtable vtable = kProbeVtable;
  vtable.get_interface = [](void* self, const char*) -> const void* {
    const broch_host* const host = static_cast<Probe*>(self)->host;
    host->fail(host, BROCH_E_UNKNOWN, "the child has gone");
    return nullptr;
  };
  spec.vtable = &vtable;
  const auto instance = world.make(probe, spec);
  CHECK(error_of([&] {
          instance->get_interface(BROCH_ROLE_INDEXED);
        }).find("failed in get_interface: the child has gone") != std::string::npos);
}

TEST_CASE("instance: a built-in's messages find the role in its id") {
  World world;
  Probe probe;
  InstanceSpec spec = named("saver");
  spec.component_id = "broch.input_source.queue";
  spec.vtable = &kProbeVtable;
  CHECK(world.make(probe, spec)->label() == "callback 'saver' (broch.input_source.queue)");
}

TEST_CASE("instance: options that are no object are refused") {
  World world;
  Probe probe;
  InstanceSpec spec = named("x");
  for (const char* text : {"[1]", "3", "\"a\""}) {
    spec.options = value::parse_text("options", text);
    CHECK(error_of([&] { world.make(probe, spec); }).find("expected a JSON object") !=
          std::string::npos);
  }
}

TEST_CASE("instance: a host pointer that is none is answered, never followed") {
  World world;
  Probe probe;
  const auto instance = world.make(probe, "x");
  const auto* config = probe.extension<broch_host_config>(BROCH_EXT_CONFIG);
  const broch_host copy = *probe.host;
  const broch_host* const hosts[] = {nullptr, reinterpret_cast<const broch_host*>(1), &copy,
                                     reinterpret_cast<const broch_host*>(~uintptr_t{0} - 7)};
  for (const broch_host* host : hosts) {
    int64_t value = 0;
    CHECK(config->get_i64(host, "/a", &value) == BROCH_E_INVALID_ARGUMENT);
    CHECK(std::string(probe.host->last_error(host)).find("belongs to no living instance") !=
          std::string::npos);
    CHECK(probe.host->get_extension(host, BROCH_EXT_CONFIG) == nullptr);
    CHECK(probe.host->fail(host, BROCH_E_ABORTED, "why") == BROCH_E_ABORTED);
    CHECK(std::string(config->text(host)) == "{}");
    CHECK(config->kind(host, "") == BROCH_CONFIG_ABSENT);
  }
  CHECK(Instance::of(probe.host) == instance.get());
}

TEST_CASE("instance: nothing that fails in the host is thrown through its table") {
  struct Failing : Inspector {
    void saw(Misuse, const std::string&) override {}
    const void* extension(const Instance&, const char*, const void*) override {
      throw std::bad_alloc();
    }
  };
  World world;
  Probe probe;
  const auto instance = world.make(probe, "x");
  Failing failing;
  inspect(&failing);
  CHECK(probe.host->get_extension(probe.host, BROCH_EXT_CONFIG) == nullptr);
  inspect(nullptr);
  CHECK(std::string(probe.host->last_error(probe.host)) == "the host ran out of memory");
  CHECK(probe.host->get_extension(probe.host, BROCH_EXT_CONFIG) != nullptr);
  base::set_log_interlude([] { throw std::bad_alloc(); }, nullptr);
  probe.host->log(probe.host, BROCH_LOG_ERROR, "a line of the test that has no memory");
  base::set_log_interlude(nullptr, nullptr);
}

TEST_CASE("instance: two hosts in one process attribute to their own") {
  World one, two;
  Probe first, second;
  const auto a = one.make(first, "a");
  const auto b = two.make(second, "b");
  CHECK(Instance::of(first.host) == a.get());
  CHECK(Instance::of(second.host) == b.get());
  CHECK(first.host->get_extension(first.host, "broch.none/1") == nullptr);
  CHECK(first.host->get_extension(first.host, nullptr) == nullptr);
}

TEST_CASE("instance: a plugin that meets a shorter host table refuses politely") {
  World world;
  const InstanceSpec old = cautious(cautious_vtable, offsetof(broch_host, log));
  CHECK(error_of([&] { Instance(world.context, old, {}); }) ==
        "4: callback 'careful' (broch.callback.cautious) failed in create: this host is too old: "
        "it has no log");
  Instance(world.context, cautious(cautious_vtable, sizeof(broch_host)), {});
}

TEST_CASE("instance: entries beyond a plugin's table do what missing ones do") {
  World world;
  Instance instance(world.context, cautious(cautious_vtable, sizeof(broch_host)), {});
  Callback callback = Callback::make(instance);
  cautious_epochs = 0;
  CHECK(callback.before_epoch() == BROCH_OK);
  CHECK(cautious_epochs == 1);
  CHECK(callback.after_epoch() == BROCH_OK);  // garbage follows the table
  CHECK(callback.trigger_epoch() == BROCH_OK);
  CHECK_FALSE(callback.has_before_run());
  CHECK_FALSE(callback.has_trigger_step());
}

TEST_CASE("instance: what a longer table has in addition is ignored") {
  World world;
  Instance instance(world.context, cautious(longer_vtable, sizeof(broch_host)), {});
  longer_triggers = 0;
  CHECK(Callback::make(instance).trigger_epoch() == BROCH_OK);
  CHECK(longer_triggers == 1);
}
