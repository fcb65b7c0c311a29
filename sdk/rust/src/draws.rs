//! Random numbers from a seed, for transforms: the same numbers as draws.h in C.

/// A hash of two numbers, such as the key of a point and the number of a copy.
pub fn mixed(a: u64, b: u64) -> u64 {
    Draws::new(a ^ Draws::new(b).bits()).bits()
}

/// A stream of random numbers. The same seed always gives the same numbers.
#[derive(Clone, Debug)]
pub struct Draws {
    state: u64,
}

impl Draws {
    pub fn new(seed: u64) -> Draws {
        Draws { state: seed }
    }
    /// 64 random bits. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number
    /// generators", OOPSLA 2014 (SplitMix64).
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.state;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }
    /// In [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
    /// In [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }
    /// An integer in [0, bound); bound is at least 1.
    pub fn below(&mut self, bound: u64) -> u64 {
        let whole = u64::MAX - u64::MAX % bound;
        let mut bits = self.bits();
        while bits >= whole {
            bits = self.bits();
        }
        bits % bound
    }
    /// An integer in [low, high], both included.
    pub fn integer(&mut self, low: i64, high: i64) -> i64 {
        let drawn = match high.wrapping_sub(low) as u64 {
            u64::MAX => self.bits(),
            width => self.below(width + 1),
        };
        low.wrapping_add(drawn as i64)
    }
    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }
    /// Mean 0 and variance 1. Source: Box and Muller, 1958.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}
