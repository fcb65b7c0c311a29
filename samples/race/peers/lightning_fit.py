"""lightning_fit.py SETTINGS: Lightning's Trainer with the network of the other PyTorch peers, also
fused and channels last. Checkpoints, loggers and the progress bar are off, which costs it least."""

import logging
import warnings

import fashion
import lightning
import settings as race
import torch
import torch_network


class Task(lightning.LightningModule):
    def __init__(self, settings):
        super().__init__()
        self.settings = settings
        self.network = torch_network.build(settings)

    def training_step(self, batch, index):
        return self.network(*batch)

    def configure_optimizers(self):
        optimizer, schedule = torch_network.optimizer_and_schedule(self.settings, self.network)
        return [optimizer], [{"scheduler": schedule, "interval": "step"}]

    def on_validation_epoch_start(self):
        self.wrong = self.images = 0

    def validation_step(self, batch, index):
        image, label = batch
        self.wrong += int((self.network.scores(image).argmax(1) != label).sum())
        self.images += len(label)

    def on_validation_epoch_end(self):
        epoch = self.current_epoch + 1
        self.trainer.should_stop = race.tell(self.settings, epoch, self.wrong, self.images)


def main():
    warnings.filterwarnings("ignore")
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    settings = race.given()
    torch.set_num_threads(settings.processors)
    images, labels = torch_network.tensors(*fashion.evaluated(settings))
    batches = list(zip(images.split(race.EVALUATED), labels.split(race.EVALUATED)))
    test = torch.utils.data.DataLoader(batches, batch_size=None)
    trainer = lightning.Trainer(
        accelerator="cpu",
        max_epochs=settings.epochs,
        limit_train_batches=settings.steps,
        num_sanity_val_steps=0,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(Task(settings), torch_network.points(settings), test)


main()
