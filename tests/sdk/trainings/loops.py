"""A loop with Accelerate, then a Lightning trainer: the same process, the same job."""

import math
import sys

import lightning.pytorch as pl
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from tuneplane.integrations.accelerate_tracker import TunePlaneTracker
from tuneplane.integrations.lightning_logger import TunePlaneLogger

accelerator = Accelerator(cpu=True, log_with=TunePlaneTracker(monitor_hardware=False, prefix="accelerate/"))
accelerator.init_trackers("project", config={"lr": 0.25, "api_key": "secret"})
for step in range(3):
    accelerator.log({"loss": torch.tensor(1.0 / (step + 1)), "note": "text", "bad": math.nan}, step=step)
tracker = accelerator.get_tracker("tuneplane", unwrap=True)
sys.stdout.write(f"the tracker is {tracker.__name__}\n")
accelerator.end_training()


class Line(pl.LightningModule):
    def __init__(self, lr=0.5, hub_token="secret"):
        super().__init__()
        self.save_hyperparameters()
        self.layer = torch.nn.Linear(1, 1)

    def training_step(self, batch, number):
        loss = self.layer(batch).square().mean()
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, number):
        self.log("val_mean", batch.mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.lr)


data = DataLoader(torch.arange(8.0).reshape(8, 1), batch_size=2)
trainer = pl.Trainer(
    max_epochs=2,
    accelerator="cpu",
    logger=TunePlaneLogger(monitor_hardware=False, prefix="lightning/"),
    log_every_n_steps=1,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    default_root_dir=sys.argv[1],
)
trainer.fit(Line(), data, data)
