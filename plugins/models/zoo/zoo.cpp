// zoo.cpp: well-known models, each in a file of its own. Copy one to begin a model. Variables have
// the names, layouts and initial values of the PyTorch version that the file names, so that its
// weights can be loaded.
#include "dcgan.hpp"
#include "gpt.hpp"
#include "lenet.hpp"
#include "linear.hpp"
#include "lstm_lm.hpp"
#include "mlp.hpp"
#include "resnet.hpp"
#include "unet.hpp"
#include "vit.hpp"
#include "wide_resnet.hpp"

namespace {

using namespace broch::zoo;

template <class T, class Options>
constexpr auto model(const char* id, const char* summary, const Options& options) {
  return broch::component<T>(id, "model", "1.0.0", summary, options);
}

}  // namespace

BROCH_COMPONENTS(
    model<Linear>("broch.model.linear", "Linear classification.", LinearOptions::schema),
    model<Mlp>("broch.model.mlp", "A multilayer perceptron for classification.",
               MlpOptions::schema),
    model<Lenet>("broch.model.lenet", "LeNet-5, a small convolutional network.",
                 LenetOptions::schema),
    model<Resnet>("broch.model.resnet", "Residual networks of any depth, also ResNeXt.",
                  ResnetOptions::schema),
    model<WideResnet>("broch.model.wide-resnet", "Wide residual networks for small images.",
                      WideResnetOptions::schema),
    model<Vit>("broch.model.vit", "A vision transformer.", VitOptions::schema),
    model<Unet>("broch.model.unet", "U-Net, which gives each pixel a class.", UnetOptions::schema),
    model<Gpt>("broch.model.gpt", "GPT-2, a transformer that predicts the next token.",
               GptOptions::schema),
    model<LstmLm>("broch.model.lstm-lm", "Layers of LSTM that predict the next token.",
                  LstmLmOptions::schema),
    model<Dcgan>("broch.model.dcgan",
                 "DCGAN: a generator and a discriminator, for the trainer gan.",
                 DcganOptions::schema))
