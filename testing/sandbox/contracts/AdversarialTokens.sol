// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {OwnedToken} from "./OwnedTokens.sol";

/// Anybody can buy, only the owner can sell: a transfer into the pair reverts.
contract HoneypotToken is OwnedToken {
    address public pair;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        OwnedToken(name_, symbol_, supply, owner_)
    {}

    function setPair(address pair_) external onlyOwner {
        pair = pair_;
    }

    function _update(address from, address to, uint256 value) internal override {
        require(to != pair || pair == address(0) || tx.origin == owner(), "TRANSFER_FAILED");
        super._update(from, to, value);
    }
}

/// A transfer into the pair reports success and moves nothing.
contract SilentHoneypotToken is OwnedToken {
    address public pair;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        OwnedToken(name_, symbol_, supply, owner_)
    {}

    function setPair(address pair_) external onlyOwner {
        pair = pair_;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (to == pair && pair != address(0) && tx.origin != owner()) return;
        super._update(from, to, value);
    }
}

/// Buys and transfers are free; of what reaches the pair the owner takes a tax that is fixed for ever.
contract SellTaxToken is OwnedToken {
    uint256 public immutable sellTaxBps;
    address public pair;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_, uint256 sellTaxBps_)
        OwnedToken(name_, symbol_, supply, owner_)
    {
        sellTaxBps = sellTaxBps_;
    }

    function setPair(address pair_) external onlyOwner {
        pair = pair_;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (to == pair && pair != address(0) && from != owner()) {
            uint256 tax = (value * sellTaxBps) / 10_000;
            super._update(from, owner(), tax);
            super._update(from, to, value - tax);
        } else {
            super._update(from, to, value);
        }
    }
}

/// No tax today; the owner can set any, up to everything, at any time.
contract TaxableToken is OwnedToken {
    uint256 public taxBps;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        OwnedToken(name_, symbol_, supply, owner_)
    {}

    function setTax(uint256 taxBps_) external onlyOwner {
        taxBps = taxBps_;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (taxBps == 0 || from == address(0) || from == owner() || to == owner()) {
            super._update(from, to, value);
            return;
        }
        uint256 tax = (value * taxBps) / 10_000;
        super._update(from, owner(), tax);
        super._update(from, to, value - tax);
    }
}

/// owner() is nobody, yet a second, private address still mints.
contract HiddenMinterToken is OwnedToken {
    address private _rewards;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_, address rewards)
        OwnedToken(name_, symbol_, supply, owner_)
    {
        _rewards = rewards;
    }

    function distribute(address to, uint256 amount) external {
        require(msg.sender == _rewards);
        _mint(to, amount);
    }
}

/// An anti-bot rule that looks like a honeypot in one block and is none: nobody can pass on tokens in the block he got them in.
contract CooldownToken is ERC20 {
    mapping(address account => uint256) private _receivedAt;
    address public immutable deployer = msg.sender;

    constructor(string memory name_, string memory symbol_, uint256 supply) ERC20(name_, symbol_) {
        _mint(msg.sender, supply);
    }

    function _update(address from, address to, uint256 value) internal override {
        if (from != address(0) && from.code.length == 0 && from != deployer) {
            require(_receivedAt[from] < block.number, "cooldown");
        }
        if (to.code.length == 0) _receivedAt[to] = block.number;
        super._update(from, to, value);
    }
}
