// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {OwnedToken} from "./OwnedTokens.sol";

/// A token whose rule wakes up when its owner names the pool, which works once.
abstract contract ArmedToken is OwnedToken {
    address public pair;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        OwnedToken(name_, symbol_, supply, owner_)
    {}

    function arm(address pair_) external onlyOwner {
        require(pair == address(0), "armed");
        pair = pair_;
    }

    function _isSale(address from, address to) internal view returns (bool) {
        return to == pair && pair != address(0) && from != owner();
    }
}

/// Nobody owns it any more, and still nobody but one address can sell.
contract RenouncedTrapToken is ArmedToken {
    address private immutable _insider;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_, address insider)
        ArmedToken(name_, symbol_, supply, owner_)
    {
        _insider = insider;
    }

    function _update(address from, address to, uint256 value) internal override {
        require(!_isSale(from, to) || from == _insider, "TRANSFER_FAILED");
        super._update(from, to, value);
    }
}

/// Whoever buys is put on a list, and nobody on the list can sell; the owner takes off and puts on.
contract SnareToken is ArmedToken {
    mapping(address account => bool) public snared;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function setSnared(address account, bool listed) external onlyOwner {
        snared[account] = listed;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (from == pair && to != owner()) snared[to] = true;
        if (_isSale(from, to)) require(!snared[from], "bot");
        super._update(from, to, value);
    }
}

/// Accounts with code cannot sell; people can.
contract ContractTrapToken is ArmedToken {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function _update(address from, address to, uint256 value) internal override {
        require(!_isSale(from, to) || from.code.length == 0, "no contracts");
        super._update(from, to, value);
    }
}

/// Can be sold until a moment that its creation fixed, and never after.
contract LapsingToken is ArmedToken {
    uint256 private immutable _closesAt;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_, uint256 window)
        ArmedToken(name_, symbol_, supply, owner_)
    {
        _closesAt = block.timestamp + window;
    }

    function _update(address from, address to, uint256 value) internal override {
        require(!_isSale(from, to) || block.timestamp < _closesAt, "closed");
        super._update(from, to, value);
    }
}

/// Lets through the sale of a simulation that pays no gas price.
contract GasPriceTrapToken is ArmedToken {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function _update(address from, address to, uint256 value) internal override {
        require(!_isSale(from, to) || tx.gasprice == 0, "TRANSFER_FAILED");
        super._update(from, to, value);
    }
}

/// Lets through the sale of a simulation whose block nobody proposed.
contract CoinbaseTrapToken is ArmedToken {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function _update(address from, address to, uint256 value) internal override {
        require(!_isSale(from, to) || block.coinbase == address(0), "TRANSFER_FAILED");
        super._update(from, to, value);
    }
}

/// Lets through the sale of a simulation whose block has no base fee.
contract BaseFeeTrapToken is ArmedToken {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function _update(address from, address to, uint256 value) internal override {
        require(!_isSale(from, to) || block.basefee == 0, "TRANSFER_FAILED");
        super._update(from, to, value);
    }
}

/// Lets through what looks like a simulator: an account with code, or one that did not sign the transaction.
contract OriginTrapToken is ArmedToken {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function _update(address from, address to, uint256 value) internal override {
        require(!_isSale(from, to) || from.code.length > 0 || tx.origin != from, "TRANSFER_FAILED");
        super._update(from, to, value);
    }
}

/// A sale burns whatever gas it is given and then fails.
contract GasBurnToken is ArmedToken {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function _update(address from, address to, uint256 value) internal override {
        if (_isSale(from, to)) {
            bytes32 junk;
            for (uint256 i;; i++) junk = keccak256(abi.encode(junk, i));
        }
        super._update(from, to, value);
    }
}

/// A sale answers `false` and moves nothing.
contract FalseToken is ArmedToken {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function transfer(address to, uint256 value) public override returns (bool) {
        return !_isSale(msg.sender, to) && super.transfer(to, value);
    }

    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        return !_isSale(from, to) && super.transferFrom(from, to, value);
    }
}

/// Only members trade, and the owner chooses them.
contract MembersToken is ArmedToken {
    mapping(address account => bool) public isMember;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function setMember(address account, bool member) external onlyOwner {
        isMember[account] = member;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (pair != address(0)) {
            require(from == pair || from == owner() || isMember[from], "members only");
            require(to == pair || to == owner() || isMember[to], "members only");
        }
        super._update(from, to, value);
    }
}

/// Everybody buys, only those whom the owner chose sell.
contract SellersToken is ArmedToken {
    mapping(address account => bool) public maySell;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function setSeller(address account, bool allowed) external onlyOwner {
        maySell[account] = allowed;
    }

    function _update(address from, address to, uint256 value) internal override {
        require(!_isSale(from, to) || maySell[from], "TRANSFER_FAILED");
        super._update(from, to, value);
    }
}

/// The owner opens and closes trading as he likes.
contract SwitchToken is ArmedToken {
    bool public open;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function setOpen(bool open_) external onlyOwner {
        open = open_;
    }

    function _update(address from, address to, uint256 value) internal override {
        require(open || pair == address(0) || from == owner() || to == owner(), "trading is not open");
        super._update(from, to, value);
    }
}

/// Nobody sells more than half of what he holds at a time.
contract HalfSaleToken is ArmedToken {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function _update(address from, address to, uint256 value) internal override {
        require(!_isSale(from, to) || value <= balanceOf(from) / 2, "too much at once");
        super._update(from, to, value);
    }
}

/// Nobody moves more than a limit at a time, and the owner sets it, also to nothing.
contract ThrottleToken is ArmedToken {
    uint256 public maxTransfer;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {
        maxTransfer = supply / 50;
    }

    function setMaxTransfer(uint256 limit) external onlyOwner {
        maxTransfer = limit;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (pair != address(0) && from != owner() && to != owner()) require(value <= maxTransfer, "over the limit");
        super._update(from, to, value);
    }
}

/// Nobody but the pool gets to hold more than 2 %; nobody can change that.
contract AntiWhaleToken is ArmedToken {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (pair != address(0) && to != pair && to != address(0)) {
            require(balanceOf(to) <= totalSupply() / 50, "too large a holder");
        }
    }
}

/// Lets through the sale of a seller who owns much ether, as simulated accounts do.
contract WealthTrapToken is ArmedToken {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function _update(address from, address to, uint256 value) internal override {
        require(!_isSale(from, to) || tx.origin.balance > 0.9 ether, "TRANSFER_FAILED");
        super._update(from, to, value);
    }
}

/// The first three hundred sales go through, and none after them.
contract FirstSalesToken is ArmedToken {
    uint256 private _sales;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function _update(address from, address to, uint256 value) internal override {
        if (_isSale(from, to)) require(++_sales <= 300, "sold out");
        super._update(from, to, value);
    }
}

/// All sales together may be of a fiftieth of the supply, and nobody can change that.
contract SalesBudgetToken is ArmedToken {
    uint256 private _left;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {
        _left = supply / 50;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (_isSale(from, to)) _left -= value;
        super._update(from, to, value);
    }
}

/// Every hundred sales the tax of a sale grows by one percent.
contract GrowingTaxToken is ArmedToken {
    uint256 private _sales;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function _update(address from, address to, uint256 value) internal override {
        uint256 tax;
        if (_isSale(from, to)) {
            uint256 percent = _sales++ / 100;
            tax = (value * (percent > 99 ? 99 : percent)) / 100;
        }
        if (tax > 0) super._update(from, owner(), tax);
        super._update(from, to, value - tax);
    }
}
