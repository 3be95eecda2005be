//! The arithmetic mean.

/// Returns the arithmetic mean; `None` of no values.
pub fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut running = RunningMean::default();
    for value in values {
        running.add(value);
    }
    running.value()
}

/// An arithmetic mean that values are added to one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RunningMean {
    sum: f64,
    count: usize,
}

impl RunningMean {
    /// Takes a value in.
    pub fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    /// Returns the mean of what was added; `None` of no values.
    pub fn value(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}
