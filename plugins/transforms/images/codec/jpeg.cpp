// jpeg.cpp: JPEG, by libjpeg-turbo. Decodes only the rows and blocks of a region, reduced.
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <vector>
// These need <cstdio> before.
#include <jerror.h>
#include <jpeglib.h>

#include "images/codec/codec.hpp"
#include "images/codec/exif.hpp"

namespace images {

namespace {

// More scans than any encoder writes; each costs a pass over all coefficients.
constexpr int kMostScans = 200;
constexpr JDIMENSION kLeastColumns = 4;

// libjpeg calls these; longjmp leaves it, since it is C.
struct Errors {
  jpeg_error_mgr base;  // first, so that a pointer to it is one to this
  std::jmp_buf escape;
  char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void give_up(j_common_ptr info) {
  auto* errors = reinterpret_cast<Errors*>(info->err);
  info->err->format_message(info, errors->message);
  std::longjmp(errors->escape, 1);
}

// Warnings about missing or wrong pixels are errors; oddities that change no pixel are ignored. One
// is a sequential file with a range of coefficients of zeros, which some encoders write.
void hear(j_common_ptr info, int level) {
  if (level >= 0) return;
  switch (info->err->msg_code) {
    case JWRN_ADOBE_XFORM:
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_JFIF_MAJOR:
    case JWRN_NOT_SEQUENTIAL:
    case JWRN_TOO_MUCH_DATA:
      return;
    default:
      give_up(info);
  }
}

void limit_scans(j_common_ptr info) {
  if (!info->is_decompressor) return;
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMostScans) return;
  auto* errors = reinterpret_cast<Errors*>(info->err);
  std::snprintf(errors->message, sizeof errors->message, "more than %d scans", kMostScans);
  std::longjmp(errors->escape, 1);
}

uint8_t scaled(int ink, int black) { return uint8_t((ink * black + 127) / 255); }

// 255 stands for no ink, as Adobe writes it. Files without its marker are read like this too, as
// Pillow and OpenCV do.
void convert_cmyk(const cv::Mat& cmyk, Channels channels, cv::Mat& to) {
  for (int y = 0; y < cmyk.rows; ++y) {
    const uint8_t* from = cmyk.ptr(y);
    uint8_t* pixel = to.ptr(y);
    for (int x = 0; x < cmyk.cols; ++x, from += 4, pixel += to.channels()) {
      const uint8_t red = scaled(from[0], from[3]), green = scaled(from[1], from[3]),
                    blue = scaled(from[2], from[3]);
      if (channels == Channels::gray) {
        pixel[0] = uint8_t((19595 * red + 38470 * green + 7471 * blue + 32768) >> 16);
        continue;
      }
      pixel[channels == Channels::bgr ? 2 : 0] = red;
      pixel[1] = green;
      pixel[channels == Channels::bgr ? 0 : 2] = blue;
    }
  }
}

class Jpeg final : public Codec {
 public:
  Jpeg() {
    info_.err = jpeg_std_error(&errors_.base);
    errors_.base.error_exit = give_up;
    errors_.base.emit_message = hear;
    guarded([this] {
      jpeg_create_decompress(&info_);
      jpeg_save_markers(&info_, JPEG_APP0 + 1, 0xffff);
    });
    progress_.progress_monitor = limit_scans;
    info_.progress = &progress_;
  }
  ~Jpeg() override { jpeg_destroy_decompress(&info_); }
  Jpeg(const Jpeg&) = delete;
  Jpeg& operator=(const Jpeg&) = delete;

  Header open(Bytes bytes) override {
    guarded([&] {
      jpeg_abort_decompress(&info_);
      jpeg_mem_src(&info_, bytes.data, static_cast<unsigned long>(bytes.size));
      jpeg_read_header(&info_, TRUE);
    });
    Header header{{int(info_.image_width), int(info_.image_height)}, 1};
    for (auto* marker = info_.marker_list; marker; marker = marker->next)
      if (marker->data_length > 6 && std::memcmp(marker->data, "Exif\0\0", 6) == 0) {
        header.orientation = exif_orientation({marker->data, marker->data_length});
        break;
      }
    return header;
  }

  bool can_reduce() const override { return true; }

  cv::Mat read(Channels channels, int reduction, cv::Rect region, cv::Mat* target) override {
    const bool is_cmyk = info_.jpeg_color_space == JCS_CMYK || info_.jpeg_color_space == JCS_YCCK;
    info_.out_color_space = is_cmyk                     ? JCS_CMYK
                            : channels == Channels::rgb ? JCS_RGB
                            : channels == Channels::bgr ? JCS_EXT_BGR
                                                        : JCS_GRAYSCALE;
    info_.scale_num = 1;
    info_.scale_denom = unsigned(reduction);
    JDIMENSION left = 0, width = 0;
    guarded([&] { start(region, left, width); });

    const int components = is_cmyk ? 4 : count_of(channels);
    const bool is_direct = target && !is_cmyk && int(width) == region.width;
    cv::Mat decoded =
        is_direct ? *target : scratch_.pixels({int(width), region.height}, components);
    rows_.resize(size_t(region.height));
    for (int y = 0; y < region.height; ++y) rows_[size_t(y)] = decoded.ptr(y);
    guarded([&] { read_rows(JDIMENSION(region.y), JDIMENSION(region.height)); });
    if (is_direct) return decoded;

    cv::Mat view = decoded.colRange(region.x - int(left), region.x - int(left) + region.width);
    if (is_cmyk) {
      cv::Mat converted = target ? *target : cv::Mat(view.size(), CV_8UC(count_of(channels)));
      convert_cmyk(view, channels, converted);
      return converted;
    }
    if (!target) return view;
    view.copyTo(*target);
    return *target;
  }

 private:
  // The columns that are decoded begin at left and contain the region and a pixel on both sides, on
  // which its own depend where chroma is interpolated. There are at least kLeastColumns, since
  // libjpeg-turbo does not interpolate a single column of chroma.
  void start(cv::Rect region, JDIMENSION& left, JDIMENSION& width) {
    jpeg_start_decompress(&info_);
    const JDIMENSION all = info_.output_width;
    const JDIMENSION begin = JDIMENSION(region.x > 0 ? region.x - 1 : 0);
    const JDIMENSION end = JDIMENSION(region.x + region.width) + 1;
    left = std::min(begin, all - std::min(all, kLeastColumns));
    width = std::min(std::max(end, left + kLeastColumns), all) - left;
    if (width < all) jpeg_crop_scanline(&info_, &left, &width);
  }

  void read_rows(JDIMENSION top, JDIMENSION count) {
    if (top > 0) jpeg_skip_scanlines(&info_, top);
    for (JDIMENSION done = 0; done < count;)
      done += jpeg_read_scanlines(&info_, &rows_[done], count - done);
    jpeg_abort_decompress(&info_);  // what follows is not needed
  }

  // call must not own anything: longjmp leaves it without its destructors.
  template <class Call>
  [[gnu::noinline]] void guarded(const Call& call) {
    if (setjmp(errors_.escape)) {
      jpeg_abort_decompress(&info_);
      refuse("JPEG", std::string("'") + errors_.message + "'", "an intact file",
             "restore the file, or leave it out");
    }
    call();
  }

  jpeg_decompress_struct info_{};
  jpeg_progress_mgr progress_{};
  Errors errors_{};
  Scratch scratch_;
  std::vector<uint8_t*> rows_;
};

}  // namespace

Codec& jpeg_codec() {
  thread_local Jpeg codec;
  return codec;
}

}  // namespace images
