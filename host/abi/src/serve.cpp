// serve.cpp: checks callers of host functions, and turns failures into statuses.
#include "abi/serve.hpp"

#include <new>

#include "abi/guard.hpp"
#include "abi/inspection.hpp"
#include "base/system_failure.hpp"
#include "message.hpp"

namespace broch::abi {
namespace {

broch_status status_for(base::Exit exit) {
  switch (exit) {
    case base::Exit::numbers:
      return BROCH_E_NUMBERS;
    case base::Exit::memory:
      return BROCH_E_RESOURCE_EXHAUSTED;
    case base::Exit::data:
      return BROCH_E_DATA_LOSS;
    case base::Exit::collective:
      return BROCH_E_UNAVAILABLE;
    default:
      return BROCH_E_INTERNAL;
  }
}

std::string role_names(unsigned roles) {
  std::string names;
  for (const Role role : {Role::main, Role::step, Role::data})
    if (roles & unsigned(role)) names += std::string(names.empty() ? "" : " or ") + role_name(role);
  return names;
}

Message message_of(const base::Error& error) {
  return {.text = error.what(),
          .code = status_for(error.exit()),
          .has_exit = true,
          .exit = error.exit()};
}

Message message_of_exception() {
  try {
    throw;
  } catch (const UnknownName& error) {
    return {.text = error.what(), .code = error.status(), .has_exit = true, .exit = error.exit()};
  } catch (const CallError& error) {
    return {error.what(), error.status()};
  } catch (const PluginError& error) {
    return {.text = error.what(),
            .code = error.status(),
            .names_plugin = true,
            .has_exit = true,
            .exit = error.exit()};
  } catch (const base::Error& error) {
    return message_of(error);
  } catch (const std::bad_alloc&) {
    return {"the host ran out of memory", BROCH_E_RESOURCE_EXHAUSTED};
  } catch (const std::exception& error) {
    const std::optional<base::Error> known = base::system_failure(error);
    return known ? message_of(*known) : Message{error.what(), BROCH_E_INTERNAL};
  } catch (...) {
    return {"the host failed with an exception of an unknown type", BROCH_E_INTERNAL};
  }
}

}  // namespace

broch_status set_error(broch_status code, const std::string& message) {
  return tell({message, code});
}

broch_status error_from_exception() noexcept {
  try {
    return tell(message_of_exception());
  } catch (...) {
    return BROCH_E_RESOURCE_EXHAUSTED;  // not even enough memory for the message
  }
}

void refuse_null(const char* function, const char* name) {
  const base::Error error(base::Exit::training, {.where = function,
                                                 .found = std::string(name) + " is NULL",
                                                 .expected = "a pointer",
                                                 .hint = "see the function's comment"});
  throw CallError(BROCH_E_INVALID_ARGUMENT, error.what());
}

void Caller::visit(const broch_host* host, const char* function, unsigned allowed_roles,
                   broch_status* status) noexcept {
  Instance* const instance = Instance::visit(host);
  const Breadcrumb* top = thread_state().top;
  const auto refuse = [&](Misuse misuse, broch_status code, const std::string& text) {
    note(misuse, std::string(function) + ": " + text);
    *status = set_error(code, std::string(function) + ": " + text);
    if (instance) instance->leave();
  };
  if (!instance)
    return refuse(Misuse::host, BROCH_E_INVALID_ARGUMENT,
                  "the host pointer belongs to no living instance, expected the one that was given "
                  "to create");
  if (!(allowed_roles & kNoScope)) {
    if (!top)
      return refuse(Misuse::caller, BROCH_E_FAILED_PRECONDITION,
                    "called on a thread that the host does not know; a thread of the plugin's own "
                    "calls thread_enter of broch.scope/1 first");
    if (allowed_roles != kAnyRole && !(allowed_roles & unsigned(top->role)))
      return refuse(Misuse::caller, BROCH_E_FAILED_PRECONDITION,
                    std::string("called during ") + top->hook + ", which is " +
                        role_name(top->role) + "; it may be called as " +
                        role_names(allowed_roles));
  }
  instance_ = instance;
  visits_ = true;
}

}  // namespace broch::abi
