// refusal.hpp: the statuses with which requests are refused.
#pragma once
#include "http/refusal.hpp"

namespace broch::ui {

using http::Refusal;

inline constexpr int kBadRequest = 400, kForbidden = 403, kNotFound = 404, kNotAllowed = 405,
                     kConflict = 409, kTooMany = 429;

}  // namespace broch::ui
