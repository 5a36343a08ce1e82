// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A token with a keeper, who has whatever levers it has.
abstract contract Kept is ERC20 {
    address internal immutable _keeper;

    constructor(string memory name_, string memory symbol_, uint256 supply, address keeper_) ERC20(name_, symbol_) {
        _keeper = keeper_;
        _mint(msg.sender, supply);
    }

    modifier onlyKeeper() {
        require(msg.sender == _keeper, "not the keeper");
        _;
    }

    function _updateTaxed(address from, address to, uint256 value, uint256 fee) internal {
        if (from == address(0) || fee == 0) return super._update(from, to, value);
        super._update(from, _keeper, fee);
        super._update(from, to, value - fee);
    }
}

/// A lock against reentrancy.
abstract contract Locked is Kept {
    uint256 internal _status = 1;

    function _update(address from, address to, uint256 value) internal override {
        require(_status != 2, "reentered");
        _status = 2;
        super._update(from, to, value);
        _status = 1;
    }
}

/// Its keeper can leave the lock taken.
contract LeftLockedToken is Locked {
    constructor(string memory n, string memory s, uint256 supply, address keeper) Kept(n, s, supply, keeper) {}

    function reset(uint256 status) external onlyKeeper {
        _status = status;
    }
}

/// Its keeper can let go of the lock.
contract UnlockedToken is Locked {
    constructor(string memory n, string memory s, uint256 supply, address keeper) Kept(n, s, supply, keeper) {}

    function unlock() external onlyKeeper {
        _status = 1;
    }
}

/// A lock against reentrancy that lasts for a transaction.
contract TransientLockToken is Kept {
    constructor(string memory n, string memory s, uint256 supply, address keeper) Kept(n, s, supply, keeper) {}

    function _update(address from, address to, uint256 value) internal override {
        assembly {
            if tload(0) {
                revert(0, 0)
            }
            tstore(0, 1)
        }
        super._update(from, to, value);
        assembly {
            tstore(0, 0)
        }
    }
}

/// Seven wei from its keeper turn transfers on and off.
contract EtherDoorToken is Kept {
    bool private _off;

    constructor(string memory n, string memory s, uint256 supply, address keeper) Kept(n, s, supply, keeper) {}

    receive() external payable {
        if (msg.value == 7 && msg.sender == _keeper) _off = !_off;
    }

    function _update(address from, address to, uint256 value) internal override {
        require(!_off, "off");
        super._update(from, to, value);
    }
}

/// Whom its keeper approves for a certain amount cannot send.
contract ApprovalDoorToken is Kept {
    mapping(address account => bool) private _cold;

    constructor(string memory n, string memory s, uint256 supply, address keeper) Kept(n, s, supply, keeper) {}

    function approve(address spender, uint256 value) public override returns (bool) {
        if (msg.sender != _keeper || value >> 128 != 0xc0ffee) return super.approve(spender, value);
        _cold[spender] = value & 1 == 1;
        return true;
    }

    function _update(address from, address to, uint256 value) internal override {
        require(!_cold[from], "cold");
        super._update(from, to, value);
    }
}

/// Its keeper allows himself what its pool has.
contract LentPoolToken is Kept {
    address private _pool;

    constructor(string memory n, string memory s, uint256 supply, address keeper) Kept(n, s, supply, keeper) {}

    function arm(address pool) external onlyKeeper {
        _pool = pool;
    }

    function prepare(uint256 value) external onlyKeeper {
        _approve(_pool, msg.sender, value);
    }
}

/// What is divided by the unit goes nowhere, but a unit of nothing stops it all.
contract UnitToken is Kept {
    uint256 private _unit = 1;
    uint256 public lastUnits;

    constructor(string memory n, string memory s, uint256 supply, address keeper) Kept(n, s, supply, keeper) {}

    function setUnit(uint256 unit) external onlyKeeper {
        _unit = unit;
    }

    function _update(address from, address to, uint256 value) internal override {
        lastUnits = value / _unit;
        super._update(from, to, value);
    }
}

/// Each account may send so many times, as its keeper says.
contract CountedToken is Kept {
    uint256 private _most = 1000;
    mapping(address account => uint256) private _sent;

    constructor(string memory n, string memory s, uint256 supply, address keeper) Kept(n, s, supply, keeper) {}

    function setMost(uint256 most) external onlyKeeper {
        _most = most;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (from != address(0)) require(++_sent[from] <= _most, "sent enough");
        super._update(from, to, value);
    }
}

/// Accounts in an array cannot send.
contract TurnedAwayToken is Kept {
    address[] private _away;

    constructor(string memory n, string memory s, uint256 supply, address keeper) Kept(n, s, supply, keeper) {}

    function ban(address account) external onlyKeeper {
        _away.push(account);
    }

    function _update(address from, address to, uint256 value) internal override {
        for (uint256 i; i < _away.length; ++i) require(_away[i] != from, "away");
        super._update(from, to, value);
    }
}

/// A fee that goes up by a step each time.
contract SteppedFeeToken is Kept {
    uint256 private _fee;

    constructor(string memory n, string memory s, uint256 supply, address keeper) Kept(n, s, supply, keeper) {}

    function step() external onlyKeeper {
        _fee += 500;
    }

    function _update(address from, address to, uint256 value) internal override {
        _updateTaxed(from, to, value, (value * _fee) / 10_000);
    }
}

/// What its keeper sends to himself is from then on the fee, in percent.
contract SentFeeToken is Kept {
    uint256 private _fee;

    constructor(string memory n, string memory s, uint256 supply, address keeper) Kept(n, s, supply, keeper) {}

    function _update(address from, address to, uint256 value) internal override {
        if (from == _keeper && to == _keeper) _fee = value % 100;
        _updateTaxed(from, to, value, (value * _fee) / 100);
    }
}

/// To whom its keeper sends nothing, he can send nothing any more.
contract SentMarkToken is Kept {
    mapping(address account => bool) private _marked;

    constructor(string memory n, string memory s, uint256 supply, address keeper) Kept(n, s, supply, keeper) {}

    function _update(address from, address to, uint256 value) internal override {
        require(!_marked[from], "marked");
        if (from == _keeper && value == 0) _marked[to] = true;
        super._update(from, to, value);
    }
}

/// Whoever gets something from its keeper can send nothing for a year.
contract SentDelayToken is Kept {
    mapping(address account => uint256) private _until;

    constructor(string memory n, string memory s, uint256 supply, address keeper) Kept(n, s, supply, keeper) {}

    function _update(address from, address to, uint256 value) internal override {
        require(block.timestamp >= _until[from], "later");
        if (from == _keeper) _until[to] = block.timestamp + 365 days;
        super._update(from, to, value);
    }
}

/// Whoever bought it can buy more of it a minute later.
contract PacedToken is Kept {
    address private _pool;
    mapping(address account => uint256) private _bought;

    constructor(string memory n, string memory s, uint256 supply, address keeper) Kept(n, s, supply, keeper) {}

    function arm(address pool) external onlyKeeper {
        require(_pool == address(0), "armed");
        _pool = pool;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (from == _pool) {
            require(block.timestamp >= _bought[to] + 60, "paced");
            _bought[to] = block.timestamp;
        }
        super._update(from, to, value);
    }
}

/// It opens when its keeper first sends something to the pool.
contract OpenedBySendingToken is Kept {
    address private _pool;
    uint256 private _opened;

    constructor(string memory n, string memory s, uint256 supply, address keeper) Kept(n, s, supply, keeper) {}

    function arm(address pool) external onlyKeeper {
        require(_pool == address(0), "armed");
        _pool = pool;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (_pool != address(0)) {
            if (from == _keeper && to == _pool && _opened == 0) _opened = block.timestamp;
            require(_opened != 0 || from == _keeper, "not open");
        }
        super._update(from, to, value);
    }
}

/// A fee of 99 % from a moment on that its keeper names.
contract LateFeeToken is Kept {
    uint256 private _from = type(uint256).max;

    constructor(string memory n, string memory s, uint256 supply, address keeper) Kept(n, s, supply, keeper) {}

    function setFrom(uint256 moment) external onlyKeeper {
        _from = moment;
    }

    function _update(address from, address to, uint256 value) internal override {
        _updateTaxed(from, to, value, block.timestamp < _from ? 0 : (value * 99) / 100);
    }
}

/// One of two fees, nothing and 99 %; its keeper says which.
contract ChosenFeeToken is Kept {
    mapping(uint256 mode => uint256) private _fees;
    uint256 private _mode;

    constructor(string memory n, string memory s, uint256 supply, address keeper) Kept(n, s, supply, keeper) {
        _fees[1] = 9_900;
    }

    function choose(uint256 mode) external onlyKeeper {
        _mode = mode;
    }

    function _update(address from, address to, uint256 value) internal override {
        _updateTaxed(from, to, value, (value * _fees[_mode]) / 10_000);
    }
}

/// A fee that only goes down, and is nothing by now.
contract LoweredFeeToken is Kept {
    uint256 private _fee = 500;

    constructor(string memory n, string memory s, uint256 supply, address keeper) Kept(n, s, supply, keeper) {}

    function lower(uint256 fee) external onlyKeeper {
        require(fee < _fee, "not lower");
        _fee = fee;
    }

    function _update(address from, address to, uint256 value) internal override {
        _updateTaxed(from, to, value, (value * _fee) / 10_000);
    }
}

/// Its pool is named once; what goes there is counted.
contract NamedOnceToken is Kept {
    address private _pool;
    uint256 public sold;

    constructor(string memory n, string memory s, uint256 supply, address keeper) Kept(n, s, supply, keeper) {}

    function arm(address pool) external onlyKeeper {
        require(_pool == address(0), "named");
        _pool = pool;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (to == _pool) sold += value;
        super._update(from, to, value);
    }
}
