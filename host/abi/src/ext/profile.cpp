// profile.cpp: broch.profile/1, which adds to the trace of the process.
#include <vector>

#include "abi/serve.hpp"
#include "announced.hpp"
#include "base/text.hpp"
#include "base/trace.hpp"
#include "tables.hpp"

namespace broch::abi {
namespace {

using base::Trace;

struct Open {
  const Trace* trace;
  const Instance* instance;
  std::string name;
  uint64_t begin;
};
thread_local std::vector<Open> open_spans;

void require_name(const char* function, const char* name) {
  if (!base::is_utf8(given(name, function, "name")))
    throw CallError(BROCH_E_INVALID_ARGUMENT,
                    std::string(function) + ": name " + base::quoted(name) + " is not UTF-8");
}

// Gives a thread that the plugin announced its name in the trace.
void name_this_thread(Trace& trace) {
  const Breadcrumb* top = thread_state().top;
  if (top && top->announced) trace.name_thread(static_cast<const Announced*>(top)->name);
}

int32_t enabled(const broch_host*) { return Trace::running() ? 1 : 0; }

broch_status begin(const broch_host* host, const char* name) {
  return serve(host, "broch.profile/1 begin", kNoScope, [&](Instance& instance) {
    require_name("broch.profile/1 begin", name);
    Trace* const trace = Trace::running();
    if (!trace) return BROCH_OK;
    name_this_thread(*trace);
    open_spans.push_back({trace, &instance, name, base::ticks()});
    return BROCH_OK;
  });
}

broch_status end(const broch_host* host) {
  return serve(host, "broch.profile/1 end", kNoScope, [&](Instance& instance) {
    Trace* const trace = Trace::running();
    if (!trace) return BROCH_OK;
    for (size_t i = open_spans.size(); i-- > 0;) {
      const Open& span = open_spans[i];
      if (span.instance != &instance || span.trace != trace) continue;
      trace->span(span.name, instance.label(), span.begin, base::ticks());
      open_spans.erase(open_spans.begin() + static_cast<std::ptrdiff_t>(i));
      return BROCH_OK;
    }
    throw CallError(
        BROCH_E_FAILED_PRECONDITION,
        "broch.profile/1 end: no span is open here\n  hint: begin and end come in pairs "
        "on one thread");
  });
}

broch_status counter(const broch_host* host, const char* name, double value) {
  return serve(host, "broch.profile/1 counter", kNoScope, [&](Instance& instance) {
    require_name("broch.profile/1 counter", name);
    if (Trace* const trace = Trace::running()) trace->counter(name, instance.label(), value);
    return BROCH_OK;
  });
}

}  // namespace

constinit const broch_host_profile kProfileTable = {
    sizeof(broch_host_profile), 0, enabled, begin, end, counter};

}  // namespace broch::abi
