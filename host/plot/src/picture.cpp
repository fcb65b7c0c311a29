// picture.cpp: opens broch_plot.so when a picture is drawn.
#include "plot/picture.hpp"

#include "base/error.hpp"
#include "base/part.hpp"
#include "plot/parallel.hpp"

namespace broch::plot {
namespace {

template <class Function, class Drawn>
std::string draw_by(const char* symbol, const Drawn& picture, Format format) {
  auto* const function = reinterpret_cast<Function*>(base::open_part(
      {"broch_plot.so", symbol, "the part of Broch that draws with cairo",
       "install libcairo2 (apt-get install libcairo2), or build and install Broch again"}));
  std::string bytes, error;
  if (!function(picture, format, bytes, error))
    throw base::Error(base::Exit::data, {"the picture", error, "a drawing", ""});
  return bytes;
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
  return draw_by<DrawFunction>(kDrawSymbol, picture, format);
}

std::string draw(const ParallelPicture& picture, Format format) {
  return draw_by<DrawParallelFunction>(kDrawParallelSymbol, picture, format);
}

}  // namespace broch::plot
