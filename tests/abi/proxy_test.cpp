// proxy_test.cpp: parents that drive children through the guard.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "abi/roles.hpp"
#include "base/log.hpp"
#include "broch/cpp/child_callback.hpp"
#include "broch/ext/instance.h"
#include "broch/ext/scope.h"
#include "probe.hpp"

using namespace broch;
using namespace broch::abi;
using broch::test::error_of;
using broch::test::kProbeCallback;
using broch::test::Probe;
using broch::test::World;

namespace {

broch_status expression(void*, const broch_function_args*, double* result) {
  *result = 3;
  return BROCH_OK;
}
const broch_function kExpression = {sizeof(broch_function), 0, expression};

broch_point point_seen;
broch_status open_data(void*, const void*, uint64_t) { return BROCH_OK; }
broch_status next_point(void* self, const broch_cancel*, broch_point point) {
  point_seen = point;
  return static_cast<Probe*>(self)->hook("next");
}
const broch_dataflow kDataFlow = {
    sizeof(broch_dataflow), 0, nullptr, open_data, nullptr, next_point, nullptr};

// A parent with a child at /callback, another instance at /other and an expression at /rate.
struct ProxyFixture {
  World world;
  Probe child_probe, other_probe, parent_probe;
  std::unique_ptr<Instance> other, parent;
  const broch_host_instance* instances = nullptr;

  ProxyFixture() {
    child_probe.tables[BROCH_ROLE_DATAFLOW] = &kDataFlow;
    other = world.make(other_probe, "other");
    std::vector<Instance::Child> children(3);
    children[0].pointer = "/callback";
    children[0].owned = world.make(child_probe, "child");
    children[1].pointer = "/other";
    children[1].instance = other.get();
    children[2].pointer = "/rate";
    children[2].function = {nullptr, &kExpression};
    InstanceSpec spec;
    spec.name = "parent";
    parent = world.make(parent_probe, spec, std::move(children));
    instances = parent_probe.extension<broch_host_instance>(BROCH_EXT_INSTANCE);
  }

  Instance& child() { return *parent->children()[0].owned; }

  // What the parent's trigger ends in when it does this.
  std::string outcome(std::function<broch_status()> body) {
    parent_probe.on_hook = [&](auto&) { return body(); };
    const std::string error = error_of([&] { Callback::make(*parent).trigger(); });
    parent_probe.on_hook = nullptr;
    return error;
  }

  template <class Table>
  const Table* lookup(const char* pointer, const char* id, void** self) {
    const void* table = nullptr;
    REQUIRE(instances->child(parent_probe.host, pointer, id, self, &table) == BROCH_OK);
    return static_cast<const Table*>(table);
  }
};

}  // namespace

TEST_CASE_FIXTURE(ProxyFixture, "proxy: a parent's call reaches its child inside the guard") {
  CHECK(outcome([&] {
          void* self = nullptr;
          const auto* table = lookup<broch_callback>("/callback", BROCH_ROLE_CALLBACK, &self);
          child_probe.on_hook = [&](auto&) {
            CHECK(thread_state().top->instance == &child());
            return BROCH_OK;
          };
          CHECK(table->trigger_step(self) == BROCH_OK);
          uint64_t fetches = 0;
          CHECK(table->before_run(self, 0, &fetches) == BROCH_OK);
          void* again = nullptr;
          CHECK(lookup<broch_callback>("/callback", BROCH_ROLE_CALLBACK, &again) == table);
          CHECK(again == self);
          return BROCH_OK;
        }) == "");
  CHECK(child_probe.calls.back() == "before_run");
}

TEST_CASE_FIXTURE(ProxyFixture, "proxy: entries that the child lacks are NULL for the parent") {
  broch_callback sparse{};
  sparse.struct_size = sizeof sparse;
  sparse.trigger = kProbeCallback.trigger;
  other_probe.tables[BROCH_ROLE_CALLBACK] = &sparse;
  const auto* table =
      static_cast<const broch_callback*>(child_interface(*other, BROCH_ROLE_CALLBACK).table);
  CHECK(table->struct_size == sizeof(broch_callback));
  CHECK((table->trigger != nullptr));
  CHECK((table->trigger_epoch != nullptr));  // falls back to trigger
  CHECK((table->before_run == nullptr));
  CHECK((table->trigger_step == nullptr));
}

TEST_CASE_FIXTURE(ProxyFixture,
                  "proxy: the child's names stay in front when a parent passes it on") {
  child_probe.on_hook = [&](auto&) {
    return child_probe.host->fail(child_probe.host, BROCH_E_NUMBERS, "loss is nan");
  };
  void* self = nullptr;
  const broch_callback* table = nullptr;
  const auto fetch = [&] {
    table = lookup<broch_callback>("/callback", BROCH_ROLE_CALLBACK, &self);
  };
  const std::string expected =
      "6: callback 'child' (test.probe) failed in trigger_step: loss is nan (in callback 'parent')";
  CHECK(outcome([&] {
          fetch();
          return table->trigger_step(self);
        }) == expected);
  // In the parent's own words, as C++ glue does it.
  CHECK(outcome([&] {
          const broch_host* host = parent_probe.host;
          const broch_status status = table->trigger_step(self);
          const std::string text = host->last_error(host);
          return host->fail(host, status, text.c_str());
        }) == expected);
  // A parent that fails for a reason of its own is named itself.
  CHECK(outcome([&] {
          table->trigger_step(self);
          return parent_probe.host->fail(parent_probe.host, BROCH_E_ABORTED, "gave up");
        }) == "1: callback 'parent' (test.probe) failed in trigger: gave up");
  child_probe.on_hook = [](auto&) -> broch_status { throw std::runtime_error("oh"); };
  const std::string thrown = outcome([&] { return table->trigger_step(self); });
  CHECK(thrown.find("callback 'child' (test.probe) violated the interface: let "
                    "std::runtime_error(\"oh\") escape from trigger_step, expected a status and no "
                    "exception (in callback 'parent')\n  hint: ") != std::string::npos);
  child_probe.on_hook = nullptr;
}

TEST_CASE_FIXTURE(ProxyFixture, "proxy: a stop with a reason is passed on as a stop") {
  child_probe.on_hook = [&](auto&) {
    return child_probe.host->fail(child_probe.host, BROCH_STOP, "good enough");
  };
  base::set_log_level(base::Level::error);
  broch_status seen = BROCH_OK;
  CHECK(outcome([&] {
          void* self = nullptr;
          seen = lookup<broch_callback>("/callback", BROCH_ROLE_CALLBACK, &self)->trigger(self);
          return seen;
        }) == "");
  base::set_log_level(base::Level::info);
  CHECK(seen == BROCH_STOP);
  child_probe.on_hook = nullptr;
}

TEST_CASE_FIXTURE(ProxyFixture, "proxy: a C++ parent that passes on a stop does not log it again") {
  static int lines;
  lines = 0;
  child_probe.on_hook = [&](auto&) {
    return child_probe.host->fail(child_probe.host, BROCH_STOP, "good enough");
  };
  broch_status seen = BROCH_OK;
  base::set_log_interlude([] { ++lines; }, nullptr);
  const std::string error = outcome([&] {
    seen = broch::at_border(parent_probe.host, [&]() -> broch_status {
      broch::ChildCallback(broch::Host(parent_probe.host), "/callback").trigger();
      return BROCH_OK;
    });
    return seen;
  });
  base::set_log_interlude(nullptr, nullptr);
  CHECK(error == "");
  CHECK(seen == BROCH_STOP);
  CHECK(lines == 1);
  child_probe.on_hook = nullptr;
}

TEST_CASE_FIXTURE(ProxyFixture,
                  "proxy: the log has the reason of a child, whatever its parent says") {
  child_probe.on_hook = [&](auto&) {
    return child_probe.host->fail(child_probe.host, BROCH_STOP, "good enough");
  };
  char path[] = "/tmp/broch_log_XXXXXX";
  close(mkstemp(path));
  base::set_log_file(path);
  const std::string error = outcome([&] {
    broch::at_border(parent_probe.host, [&]() -> broch_status {
      broch::ChildCallback(broch::Host(parent_probe.host), "/callback").trigger();
      return BROCH_OK;
    });
    return parent_probe.host->fail(parent_probe.host, BROCH_STOP, "the child asked for it");
  });
  base::set_log_file("");
  std::ostringstream log;
  log << std::ifstream(path).rdbuf();
  unlink(path);
  CHECK(error == "");
  CHECK(log.str().find("'child' (test.probe) stops in trigger: good enough") != std::string::npos);
  CHECK(log.str().find("the child asked for it") == std::string::npos);  // the loop tells this
  child_probe.on_hook = nullptr;
}

TEST_CASE_FIXTURE(ProxyFixture, "proxy: children by reference and expressions look the same") {
  CHECK(outcome([&] {
          void* self = &world;
          const auto* function = lookup<broch_function>("/rate", BROCH_ROLE_FUNCTION, &self);
          CHECK(function == &kExpression);
          CHECK(self == nullptr);
          lookup<broch_callback>("/other", BROCH_ROLE_CALLBACK, &self)->trigger(self);
          const char* id = nullptr;
          CHECK(instances->child_id(parent_probe.host, "/other", &id) == BROCH_OK);
          CHECK(std::string(id) == "test.probe");
          CHECK(instances->child_id(parent_probe.host, "/rate", &id) == BROCH_E_NOT_FOUND);
          return BROCH_OK;
        }) == "");
  CHECK(other_probe.calls.back() == "trigger");
  CHECK(std::string(instances->name(parent_probe.host)) == "parent");
}

TEST_CASE_FIXTURE(ProxyFixture, "proxy: what is not there is told with pointer and role") {
  outcome([&] {
    void* self = nullptr;
    const void* table = nullptr;
    const broch_host* host = parent_probe.host;
    const auto find = [&](const char* pointer, const char* id) {
      return instances->child(host, pointer, id, &self, &table);
    };
    CHECK(find("/calback", BROCH_ROLE_CALLBACK) == BROCH_E_NOT_FOUND);
    CHECK(std::string(host->last_error(host)) ==
          "option '/calback': no component is there, did you mean '/callback'?");
    CHECK(find("/callback", BROCH_ROLE_MONITOR) == BROCH_E_NOT_FOUND);
    CHECK(std::string(host->last_error(host)) ==
          "option '/callback': callback 'child' (test.probe) does not play broch.monitor/1");
    CHECK(find("/rate", BROCH_ROLE_CALLBACK) == BROCH_E_NOT_FOUND);
    CHECK(find("/callback", "org.example.own/1") == BROCH_E_NOT_FOUND);
    CHECK(find("/callback", BROCH_ROLE_OPTIMIZER) == BROCH_E_NOT_FOUND);
    CHECK(std::string(host->last_error(host))
              .starts_with("option '/callback': no child can be called as broch.optimizer/1, "
                           "expected one of broch.dataflow/1, broch.indexed/1, "));
    CHECK(find(nullptr, BROCH_ROLE_CALLBACK) == BROCH_E_INVALID_ARGUMENT);
    CHECK(find("/callback", nullptr) == BROCH_E_INVALID_ARGUMENT);
    return BROCH_OK;
  });
}

TEST_CASE_FIXTURE(ProxyFixture, "proxy: a point that the parent owns is lent to the child") {
  int object = 0;
  child_probe.on_hook = [&](auto&) {
    const char* why = "";
    CHECK(is_borrowed(point_seen));
    CHECK(Arena::of_this_thread().find(point_seen, Kind::point, 0, &why) == &object);
    return BROCH_OK;
  };
  const broch_point owned = parent->handles().add(Kind::point, {&object});
  void* self = nullptr;
  const broch_dataflow* table = nullptr;
  CHECK(outcome([&] {
          table = lookup<broch_dataflow>("/callback", BROCH_ROLE_DATAFLOW, &self);
          return table->next(self, nullptr, owned);
        }) == "");
  const char* why = nullptr;
  CHECK_FALSE(Arena::of_this_thread().find(point_seen, Kind::point, 0, &why));

  // Also on a thread of the parent's own.
  const auto* scope = parent_probe.extension<broch_host_scope>(BROCH_EXT_SCOPE);
  point_seen = 0;
  std::thread([&] {
    CHECK(scope->thread_enter(parent_probe.host, "loader") == BROCH_OK);
    CHECK(table->next(self, nullptr, owned) == BROCH_OK);
    CHECK(scope->thread_leave(parent_probe.host) == BROCH_OK);
  }).join();
  CHECK(point_seen != 0);
  CHECK(object == 0);
  CHECK(parent->handles().live() == 1);
}

TEST_CASE_FIXTURE(ProxyFixture, "proxy: every role has one with the role's layout") {
  broch_input_source source{};
  source.struct_size = sizeof source;
  source.flags = BROCH_INPUT_STAGED;
  source.setup = [](void* self, const broch_input_spec* inputs, uint32_t n) {
    CHECK(n == 1);
    return static_cast<Probe*>(self)->hook(std::string("setup ") + inputs[0].name);
  };
  source.next = [](void* self, uint32_t tower, const broch_cancel*, broch_point) {
    static_cast<Probe*>(self)->hook("next " + std::to_string(tower));
    return broch_status{BROCH_END};
  };
  source.resume = [](void* self, const broch_bytes* cursors, uint32_t n) {
    return static_cast<Probe*>(self)->hook(
        "resume " + std::string(static_cast<const char*>(cursors[n - 1].data), 2));
  };
  broch_monitor monitor{};
  monitor.struct_size = sizeof monitor;
  monitor.process_scalar = [](void* self, const char* name, double) {
    return static_cast<Probe*>(self)->hook(name);
  };
  broch_inferencer inferencer{};
  inferencer.struct_size = sizeof inferencer;
  inferencer.fetches = [](void*, const broch_names* names) {
    return names->add(names->context, "cost");
  };
  inferencer.on_fetches = [](void*, const broch_tensor*, uint32_t) {
    return broch_status{BROCH_OK};
  };
  inferencer.after_inference = [](void*, const broch_scalars* scalars) {
    return scalars->add(scalars->context, "error", 0.5);
  };
  broch_session_init init{};
  init.struct_size = sizeof init;
  init.init = [](void* self) { return static_cast<Probe*>(self)->hook("init"); };
  broch_plugin_state state{};
  state.struct_size = sizeof state;
  state.version = 4;
  state.save = [](void*, const broch_writer* writer) {
    return writer->write(writer->context, "kept", 4);
  };
  state.load = [](void* self, uint32_t, const void* bytes, uint64_t size) {
    return static_cast<Probe*>(self)->hook(std::string(static_cast<const char*>(bytes), size));
  };
  other_probe.tables = {{BROCH_ROLE_INPUT_SOURCE, &source},   {BROCH_ROLE_MONITOR, &monitor},
                        {BROCH_ROLE_INFERENCER, &inferencer}, {BROCH_ROLE_SESSION_INIT, &init},
                        {BROCH_PLUGIN_STATE, &state},         {BROCH_ROLE_FUNCTION, &kExpression}};
  const auto last = [&] { return other_probe.calls.back(); };

  Interface at = child_interface(*other, BROCH_ROLE_INPUT_SOURCE);
  const auto* input = static_cast<const broch_input_source*>(at.table);
  const int64_t shape[] = {-1};
  const broch_input_spec spec = {"x", shape, nullptr, 1, BROCH_INT32, 0, 0};
  CHECK(input->flags == BROCH_INPUT_STAGED);
  CHECK(input->setup(at.self, &spec, 1) == BROCH_OK);
  CHECK(last() == "setup x");
  CHECK(input->next(at.self, 3, nullptr, 0) == BROCH_END);
  CHECK(last() == "next 3");
  const broch_bytes cursors[] = {{nullptr, 0}, {"c1", 2}};
  CHECK(input->resume(at.self, cursors, 2) == BROCH_OK);
  CHECK(last() == "resume c1");
  CHECK((input->size == nullptr));

  at = child_interface(*other, BROCH_ROLE_MONITOR);
  const auto* scalars = static_cast<const broch_monitor*>(at.table);
  CHECK(scalars->process_scalar(at.self, "cost", 1) == BROCH_OK);
  CHECK(last() == "cost");
  CHECK((scalars->process_image == nullptr));

  at = child_interface(*other, BROCH_ROLE_INFERENCER);
  const auto* round = static_cast<const broch_inferencer*>(at.table);
  std::string seen;
  const broch_names names = {sizeof names, 0, &seen, [](void* text, const char* name) {
                               *static_cast<std::string*>(text) += name;
                               return broch_status{BROCH_OK};
                             }};
  const broch_scalars results = {sizeof results, 0, &seen,
                                 [](void* text, const char* name, double value) {
                                   *static_cast<std::string*>(text) += name + std::to_string(value);
                                   return broch_status{BROCH_OK};
                                 }};
  CHECK(round->fetches(at.self, &names) == BROCH_OK);
  CHECK(round->on_fetches(at.self, nullptr, 0) == BROCH_OK);
  CHECK(round->after_inference(at.self, &results) == BROCH_OK);
  CHECK(seen == "costerror0.500000");

  at = child_interface(*other, BROCH_ROLE_SESSION_INIT);
  CHECK(static_cast<const broch_session_init*>(at.table)->init(at.self) == BROCH_OK);
  CHECK(last() == "init");

  at = child_interface(*other, BROCH_PLUGIN_STATE);
  const auto* kept = static_cast<const broch_plugin_state*>(at.table);
  CHECK(kept->version == 4);
  seen.clear();
  const broch_writer writer = {&seen, [](void* text, const void* bytes, uint64_t size) {
                                 static_cast<std::string*>(text)->append(
                                     static_cast<const char*>(bytes), size);
                                 return broch_status{BROCH_OK};
                               }};
  CHECK(kept->save(at.self, &writer) == BROCH_OK);
  CHECK(seen == "kept");
  CHECK(kept->load(at.self, 4, "back", 4) == BROCH_OK);
  CHECK(last() == "back");

  at = child_interface(*other, BROCH_ROLE_FUNCTION);
  double result = 0;
  const broch_function_args args{sizeof args, 0, 1, 1, 1, 1};
  CHECK(static_cast<const broch_function*>(at.table)->call(at.self, &args, &result) == BROCH_OK);
  CHECK(result == 3);
  CHECK_FALSE(child_interface(*other, BROCH_ROLE_DATAFLOW));
  CHECK_FALSE(child_interface(*other, BROCH_ROLE_MODEL));
}
