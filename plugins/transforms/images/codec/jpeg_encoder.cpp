// jpeg_encoder.cpp: JPEG, by libjpeg-turbo.
#include "images/codec/jpeg_encoder.hpp"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
// It needs <cstdio> before.
#include <jpeglib.h>

namespace images {

namespace {

struct Errors {
  jpeg_error_mgr base;  // first, so that a pointer to it is one to this
  std::jmp_buf escape;
  char message[JMSG_LENGTH_MAX];
};

void give_up(j_common_ptr info) {
  auto* errors = reinterpret_cast<Errors*>(info->err);
  info->err->format_message(info, errors->message);
  std::longjmp(errors->escape, 1);
}

// False on failure; errors has the message. Nothing here has a destructor, since longjmp skips it.
bool encode(const cv::Mat& pixels, J_COLOR_SPACE space, int quality, Errors& errors,
            unsigned char** file, unsigned long* size) {
  jpeg_compress_struct info{};
  info.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = give_up;
  if (setjmp(errors.escape)) {
    jpeg_destroy_compress(&info);
    return false;
  }
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, file, size);
  info.image_width = JDIMENSION(pixels.cols);
  info.image_height = JDIMENSION(pixels.rows);
  info.input_components = pixels.channels();
  info.in_color_space = space;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    auto* row = const_cast<uint8_t*>(pixels.ptr(int(info.next_scanline)));
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  return true;
}

}  // namespace

std::vector<uint8_t> encode_jpeg(const cv::Mat& pixels, Channels channels, int quality) {
  const J_COLOR_SPACE space = channels == Channels::gray  ? JCS_GRAYSCALE
                              : channels == Channels::rgb ? JCS_RGB
                                                          : JCS_EXT_BGR;
  Errors errors{};
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  const bool is_written = encode(pixels, space, quality, errors, &memory, &size);
  std::vector<uint8_t> file;
  if (is_written) file.assign(memory, memory + size);
  std::free(memory);
  if (!is_written)
    refuse("JPEG", std::string("'") + errors.message + "'", "an image that can be encoded",
           "make it smaller", BROCH_E_INVALID_ARGUMENT);
  return file;
}

}  // namespace images
