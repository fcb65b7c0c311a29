// picture.cpp: opens broch_plot.so when a picture is drawn.
#include "plot/picture.hpp"

#include "base/error.hpp"
#include "base/part.hpp"

namespace broch::plot {
namespace {

DrawFunction* open_library() {
  return reinterpret_cast<DrawFunction*>(base::open_part(
      {"broch_plot.so", kDrawSymbol, "the part of Broch that draws with cairo",
       "install libcairo2 (apt-get install libcairo2), or build and install Broch again"}));
}

}  // namespace

std::optional<Format> format_of(std::string_view file) {
  if (file.ends_with(".png")) return Format::png;
  if (file.ends_with(".svg")) return Format::svg;
  if (file.ends_with(".pdf")) return Format::pdf;
  return std::nullopt;
}

bool is_picture(std::string_view beginning) {
  return beginning.starts_with("\x89PNG") || beginning.starts_with("%PDF-") ||
         beginning.starts_with("<svg") ||
         (beginning.starts_with("<?xml") && beginning.find("<svg") != beginning.npos);
}

std::string draw(const Picture& picture, Format format) {
  std::string bytes, error;
  if (!open_library()(picture, format, bytes, error))
    throw base::Error(base::Exit::data, {"the picture", error, "a drawing", ""});
  return bytes;
}

}  // namespace broch::plot
