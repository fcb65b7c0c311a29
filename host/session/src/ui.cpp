// ui.cpp: serves broch.ui/1 with Ui.
#include "session/ui.hpp"

#include "abi/serve.hpp"
#include "broch/ext/ui.h"

namespace broch::session {
namespace {

constexpr const char* kBegin = "broch.ui/1 begin";
constexpr const char* kDescribe = "broch.ui/1 describe";

// Without a terminal there is no Ui, and the calls do nothing.
Ui* ui(abi::Instance& instance) { return instance.context().find<Ui>(); }

broch_status begin(const broch_host* host, const char* label, int64_t total) {
  return abi::serve(host, kBegin, abi::Role::main, [&](abi::Instance& instance) {
    abi::given(label, kBegin, "label");
    if (Ui* shown = ui(instance)) shown->begin(&instance, label, total);
    return BROCH_OK;
  });
}

int32_t advance(const broch_host* host, int64_t done) {
  int32_t redraws = 0;
  abi::serve(host, "broch.ui/1 advance", abi::Role::main, [&](abi::Instance& instance) {
    if (Ui* shown = ui(instance)) redraws = shown->advance(&instance, done);
    return BROCH_OK;
  });
  return redraws;
}

broch_status describe(const broch_host* host, const char* text) {
  return abi::serve(host, kDescribe, abi::Role::main, [&](abi::Instance& instance) {
    abi::given(text, kDescribe, "text");
    if (Ui* shown = ui(instance)) shown->describe(&instance, text);
    return BROCH_OK;
  });
}

broch_status end(const broch_host* host) {
  return abi::serve(host, "broch.ui/1 end", abi::Role::main, [&](abi::Instance& instance) {
    if (Ui* shown = ui(instance)) shown->end(&instance);
    return BROCH_OK;
  });
}

constexpr broch_host_ui kTable = {sizeof(broch_host_ui), 0, &begin, &advance, &describe, &end};

}  // namespace

void extend_with_ui(abi::Context& context) { context.extend(BROCH_EXT_UI, &kTable); }

}  // namespace broch::session
