// version.hpp: of models.
#pragma once

namespace broch::serve {

inline constexpr const char* kModelVersion = "1";  // a bundle is one version of a model

}  // namespace broch::serve
